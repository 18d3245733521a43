# What the developers of Cortex run. `make check` is what must be green before a commit.

.DELETE_ON_ERROR:
.PHONY: check static fmt vet staticcheck test race fuzz crash bench soak inspect docs dist clean

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
SYSTEMS     := linux darwin windows
MACHINES    := amd64 arm64
FUZZTIME    ?= 20s

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo none)
BUILT   ?= $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.built=$(BUILT)

export CGO_ENABLED := 0

check: static test

static: fmt vet staticcheck

fmt:
	@files=$$(gofmt -l cmd internal scripts); if [ -n "$$files" ]; then echo "gofmt -w these:"; echo "$$files"; exit 1; fi

vet:
	@for os in $(SYSTEMS); do echo "go vet for $$os"; GOOS=$$os go vet ./... || exit 1; done

# Run by its version: it is a tool of the developers and no dependency of the module.
staticcheck:
	go run $(STATICCHECK) ./...

test:
	go test ./...

# The race detector needs a C compiler.
race:
	CGO_ENABLED=1 go test -race ./...

fuzz:
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' internal | sed 's/:func /:/' | while IFS=: read -r file name; do \
		echo "$$name in $$(dirname $$file) for $(FUZZTIME)"; \
		go test "./$$(dirname $$file)" -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) || exit 1; \
	done

# The long form of the power-loss tests; the suite holds the short one.
crash:
	CORTEX_CRASH=long go test ./internal/durable/... ./internal/casestore/... -run Crash -count=1 -timeout 20m

bench:
	go run ./scripts/bench

# Eight processes with random verbs on one store for two minutes, a third of them killed. SOAK=-seed=N repeats a choice.
soak:
	go run ./scripts/soak $(SOAK)

# A foreign MCP client looks at the server; needs npm and the network.
inspect:
	./scripts/inspect.sh

# docs/operations.md and docs/problems.md are printed from the declarations of the verbs and the codes, and so is the
# list of what MCP can do.
docs:
	go test ./internal/cli -run TestDocs -count=1 -update

# Reproducible: the same commit and toolchain give the same bytes.
dist: clean
	@mkdir -p dist
	@for os in $(SYSTEMS); do for machine in $(MACHINES); do \
		suffix=; if [ $$os = windows ]; then suffix=.exe; fi; \
		echo "dist/cortex_$${os}_$$machine$$suffix"; \
		GOOS=$$os GOARCH=$$machine go build -trimpath -buildvcs=false -ldflags "$(LDFLAGS)" \
			-o "dist/cortex_$${os}_$$machine$$suffix" ./cmd/cortex || exit 1; \
	done; done
	@cd dist && { command -v sha256sum >/dev/null && sha256sum cortex_* || shasum -a 256 cortex_*; } > SHA256SUMS
	@cat dist/SHA256SUMS

clean:
	@rm -rf dist
