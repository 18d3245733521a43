package main

// fakeHealth are the programs that are only asked for their health.
func fakeHealth() map[string]string {
	return map[string]string{
		"cairn":    `echo "cairn 0.0.0"`,
		"vidtrace": `echo "vidtrace 0.0.0"`,
		"mcphub": `case "$*" in
--version) echo "mcphub 0.0.0" ;;
*) echo '{"server":"cortex","registered":true,"enabled":true,"on_path":true,"remote":false,"handshake_ok":null,"tool_count":null,"probe_error":"","agents":null,"proxied_calls":1,"unused":false}' ;;
esac`,
	}
}

// healthCalls are the recorded calls about the tools themselves, after the case has ended.
func healthCalls() []call {
	return []call{{name: "99_doctor_fake", args: []string{"doctor", "--probe"}}}
}

// healthDeviations are the differences that are meant where tools are asked for their health.
func healthDeviations() []deviation {
	return []deviation{
		{"9[59]_", `call of veclite `, "earlier cases are recalled from their files, without another program"},
		{"9[59]_", `added call of mcphub --version`, "the gateway is one of the tools"},
		{"9[59]_", `^added (toolHealth|tools)\[\]\.version`, "a tool that tells its version is shown with it"},
		{"9[59]_", `^added (toolHealth|tools)\[\]\.(detail|fixCommand)`, "tools that are not there say so, and approvals that are missing"},
		{"9[59]_", `^missing (toolHealth|tools)\[\]\.fixCommand`, "a command is shown where it would mend something"},
		{"21_", `^missing toolHealth`, "a tool that is not there has no index, and none is recommended"},
		{"95_", `^added (actor|scope\.(action|unexpectedFiles))$`, "the reconstructed case has its own actor, and adds its spec"},
		{"95_", `^added facts`, "status --detail full shows the newest evidence"},
		{"99_", `^added tools\[\]\.index`, "the state of an index belongs to the state of its tool"},
		{"99_", `added call of (codemap|vecgrep) status`, "the state of an index belongs to the state of its tool"},
		{"36_", `^added tools\[\]|^missing tools\[\]`, "each tool says what it is and what would mend it"},
	}
}
