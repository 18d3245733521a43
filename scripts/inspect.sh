#!/bin/sh
# Lets the MCP Inspector, a client that is not ours, look at `cortex serve`: it lists the tools of both profiles, with its
# check of their schemas, and calls open, status and handoff. Needs npm, and the network for the Inspector itself. Works
# in a temporary directory with a HOME of its own; exits with 1 when the Inspector finds fault.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export npm_config_cache="$dir/npm" npm_config_audit=false npm_config_fund=false npm_config_loglevel=error

go build -o "$dir/cortex" ./cmd/cortex

# The Inspector wants a recent Node; npm has that too.
echo "installing the Inspector"
npm install --prefix "$dir" node@22 @modelcontextprotocol/inspector@latest
PATH="$dir/node_modules/.bin:$PATH"
echo "Inspector $(node -p "require('$dir/node_modules/@modelcontextprotocol/inspector/package.json').version") on Node $(node --version)"

export HOME="$dir/home"
mkdir -p "$HOME" "$dir/repo"
cd "$dir/repo"
git init -q
git -c user.name=inspect -c user.email=inspect@example.invalid commit -q --allow-empty -m first

strict=--strict
if ! mcp-inspector --cli --help 2>&1 | grep -q -e --strict; then
	echo "this Inspector has no --strict: schemas are listed unchecked"
	strict=
fi

# inspect PROFILE ARGUMENT... fails when the Inspector does, also for a result that is an error.
inspect() {
	profile=$1
	shift
	if ! mcp-inspector --cli "$dir/cortex" serve --profile "$profile" "$@" >"$dir/out" 2>"$dir/err"; then
		echo "FAILED: profile $profile, $*" >&2
		cat "$dir/out" "$dir/err" >&2
		exit 1
	fi
	cat "$dir/err" >&2 # its remarks on schemas
}

for profile in agent all; do
	inspect $profile --method tools/list $strict
	echo "profile $profile: $(node -p "JSON.parse(require('fs').readFileSync('$dir/out')).tools.length") tools $strict"
	inspect $profile --method tools/call --tool-name cortex_open_task --tool-arg "goal=see what the Inspector sees" mode=investigate
	for tool in cortex_status cortex_handoff; do
		inspect $profile --method tools/call --tool-name $tool
		node -e "const r = JSON.parse(require('fs').readFileSync('$dir/out'));
			if (!r.structuredContent.taskId || r.content[0].text.length > 131072) { console.error(r); process.exit(1) }"
		echo "profile $profile: $tool answered"
	done
done
