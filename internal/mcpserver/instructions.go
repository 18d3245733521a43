package mcpserver

// instructions is told to every client at the start of a session. It is kept under 2 KiB, for it costs context.
const instructions = `Cortex keeps the case of a change: goal, evidence, hypotheses, plan and boundary, and receipts that bind a verdict to the exact bytes of the worktree. You think and edit; Cortex keeps the state, refuses "done" without proof, and lets anyone audit it.

Work in this order:
1. open (cortex_open_task): one goal, with acceptance criteria when they are known. Calling it again returns the same case.
2. investigate: ask one real question per round. Search hits are candidates, not proof.
3. plan: hypotheses that say what would disprove them, what is still uncertain, the files you may change, the checks to run.
4. begin_change: take the change lease before the first edit. Stay inside the boundary.
5. verify: run the planned checks against the worktree as it is now. Any later edit makes the proof stale.
6. remember: finish with the outcome. It is refused while proof is missing, failed or stale.

Every answer carries "actions": the calls that can succeed next, with the arguments known already; "inputs" names what you must add. A refusal has isError, a stable "code", and actions that lead on: follow them instead of repeating the call. status shows where a case stands, for example after a lost context.

taskId may be left out when the repository has exactly one active case. Give "workspace" when you work in another directory than the server's.

Cortex does not edit files, run agents, call models or open network connections. It runs only checks that a person has allowed.`
