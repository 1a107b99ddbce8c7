#!/usr/bin/env bash
# Connects the terraform CLI to the service: init finds the organization by its name, and makes the workspace.
# Usage: TOKEN=<a user's or team's token> ./walk.sh <name of an organization>
set -euo pipefail

address=${GATEHOUSE:-http://127.0.0.1:8080}
: "${TOKEN:?set TOKEN to a token that may create workspaces}"
export TF_CLOUD_ORGANIZATION=${1:?name an organization}

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cp "$(dirname "$0")/main.tf" "$directory"
# In the place of discovery by https, so that a service on this machine needs no certificate.
cat >"$directory/terraformrc" <<HCL
disable_checkpoint = true
host "gatehouse.example" {
  services = { "tfe.v2" = "$address/api/v2/" }
}
credentials "gatehouse.example" {
  token = "$TOKEN"
}
HCL
export TF_CLI_CONFIG_FILE=$directory/terraformrc
terraform -chdir="$directory" init -input=false -no-color
terraform -chdir="$directory" workspace show
