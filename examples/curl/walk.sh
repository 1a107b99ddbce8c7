#!/usr/bin/env bash
# Walks the service with curl, jq and tar: creates, uploads, lists and downloads a version, gives a team access and a
# token, and evaluates policies on a run. Usage: TOKEN=<a site administrator's token> ./walk.sh [name of a new organization]
set -euo pipefail

address=${GATEHOUSE:-http://127.0.0.1:8080}
: "${TOKEN:?set TOKEN to the token of a site administrator}"
organization=${1:-curl-$$}
configuration=$(cd "$(dirname "$0")/../configuration" && pwd)

say() { printf '%s\n' "$*"; }

# as TOKEN METHOD PATH [curl arguments]: prints the response. A refusal prints the reason and ends the walk.
as() {
  local token=$1 method=$2 path=$3 answer
  shift 3
  answer=$(curl --silent --show-error --fail-with-body --request "$method" --header "Authorization: Bearer $token" \
    --header 'Content-Type: application/vnd.api+json' "$@" "$address$path") || {
    say "$method $path was refused: $answer" >&2
    return 1
  }
  say "$answer"
}
api() { as "$TOKEN" "$@"; }

# new TYPE NAME [more attributes as JSON]: a document.
new() { jq -cn --arg type "$1" --arg name "$2" --argjson more "${3:-null}" '{data: {$type, attributes: ({$name} + $more)}}'; }

api POST /organizations -d "$(new organizations "$organization" '{"email": "ops@example.com"}')" >/dev/null
workspace=$(api POST "/organizations/$organization/workspaces" -d "$(new workspaces network)" | jq -r .data.id)
team=$(api POST "/organizations/$organization/teams" -d "$(new teams platform)" | jq -r .data.id)
say "organization $organization: workspace $workspace, team $team"

# Configuration versions: the upload URL is shown once and needs no token.
versions=/workspaces/$workspace/configuration-versions
created=$(api POST "$versions" -d '{"data": {"type": "configuration-version", "attributes": {"auto-queue-runs": false}}}')
version=$(jq -r .data.id <<<"$created")
tar -czf - -C "$configuration" . | curl --silent --show-error --fail-with-body --upload-file - \
  "$(jq -r '.data.attributes."upload-url"' <<<"$created")" >/dev/null
say "version $version: $(api GET "/configuration-versions/$version" | jq -r .data.attributes.status)"
say "versions listed: $(api GET "$versions" | jq -r '[.data[].id] | join(", ")')"
say "files that came back: $(curl --silent --show-error --fail --location --header "Authorization: Bearer $TOKEN" \
  "$address/configuration-versions/$version/download" | tar -tzf - | grep -c '\.tf$')"

# Team access: a level implies its permissions.
relationships=$(jq -cn --arg workspace "$workspace" --arg team "$team" '{
  workspace: {data: {type: "workspaces", id: $workspace}}, team: {data: {type: "teams", id: $team}}}')
access=$(api POST /team-workspaces -d "$(jq -cn --argjson relationships "$relationships" \
  '{data: {type: "team-workspaces", attributes: {access: "plan"}, $relationships}}')")
say "the team's runs: $(jq -r .data.attributes.runs <<<"$access")"
api PATCH "/team-workspaces/$(jq -r .data.id <<<"$access")" \
  -d '{"data": {"type": "team-workspaces", "attributes": {"access": "custom", "runs": "plan"}}}' >/dev/null
say "access listed: $(api GET "/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=$workspace" | jq -r '.data[].attributes.access')"

# A team token: its secret is shown once.
secret=$(api POST "/teams/$team/authentication-token" -d '{"data": {"type": "authentication-token"}}' | jq -r .data.attributes.token)
say "as the team: version $(as "$secret" POST "$versions" | jq -r .data.attributes.status)"
say "team tokens: $(api GET "/organizations/$organization/team-tokens?q=plat" | jq -r '.data | length')"

# Policy outcomes: agents report them. This walk is the agent too.
policies='{"global": true, "overridable": true, "policies": [
  {"name": "tags", "query": "data.tags.deny", "enforcement-level": "mandatory"},
  {"name": "sizes", "query": "data.sizes.deny", "enforcement-level": "advisory"}]}'
api POST "/organizations/$organization/policy-sets" -d "$(new policy-sets baseline "$policies")" >/dev/null
pool=$(api POST "/organizations/$organization/agent-pools" -d "$(new agent-pools walk)" | jq -r .data.id)
agent=$(api POST "/agent-pools/$pool/authentication-tokens" | jq -r .data.attributes.token)
api PATCH "/organizations/$organization" -d "$(jq -cn --arg pool "$pool" '{data: {type: "organizations",
  attributes: {"default-execution-mode": "agent"},
  relationships: {"default-agent-pool": {data: {type: "agent-pools", id: $pool}}}}}')" >/dev/null
tar -czf - -C "$configuration" . | curl --silent --show-error --fail-with-body --upload-file - \
  "$(api POST "$versions" | jq -r '.data.attributes."upload-url"')" >/dev/null
job=$(as "$agent" POST '/agent/v1/claims?wait=20' -d '{"name": "curl"}')
run=$(jq -r .run.id <<<"$job")
lease=(--header "Lease: $(jq -r .lease.token <<<"$job")")
evaluation=$(jq -r '."policy-evaluations"[0].id' <<<"$job")
as "$agent" POST "/agent/v1/runs/$run/plan" "${lease[@]}" -d '{"status": "finished", "has-changes": true}' >/dev/null
as "$agent" POST "/agent/v1/runs/$run/policy-evaluations/$evaluation" "${lease[@]}" -d "$(jq -c '{
  "policy-tool-version": "1.0.0",
  "policy-sets": [."policy-evaluations"[0]."policy-sets"[] | {"policy-set-id": .id, policies: [
    {name: "tags", status: "passed"}, {name: "sizes", status: "failed"}]}]}' <<<"$job")" >/dev/null
say "run $run:"
api GET "/policy-evaluations/$evaluation/policy-set-outcomes?filter%5B0%5D%5Bstatus%5D=failed&filter%5B0%5D%5BenforcementLevel%5D=advisory" |
  jq -r '.data[].attributes.outcomes[] | "  \(.policy_name): \(.status) (\(.enforcement_level))"'

api POST "/runs/$run/actions/discard" >/dev/null
api DELETE "/organizations/$organization" >/dev/null
say "organization $organization is deleted"
