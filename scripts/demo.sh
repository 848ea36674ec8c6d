#!/usr/bin/env bash
# The main job, end to end, on the sample corpus: materialize every asset through Dagster, then ask three questions.
set -euo pipefail
cd "$(dirname "$0")/.."
export GRAPHRAG_ASSETS_HOME="${GRAPHRAG_ASSETS_HOME:-$PWD/data}"
run=.venv/bin/graphrag-assets

echo "== materialize"
"$run" materialize

echo; echo "== status"
"$run" status

ask() {
  echo; echo "== ask: $1"
  # Exit code 3 is an honest refusal, and one of the three questions is there to be refused.
  "$run" ask "$1" --route "$2" || [ $? -eq 3 ]
}
ask "Where is Strongbox located?" hybrid
ask "Which team looks after Purser and who leads it?" graph
ask "In which city does Skerry Data have its office?" hybrid

echo; echo "== graph"
"$run" digest
"$run" neo4j status
echo "The server keeps running; stop it with: graphrag-assets neo4j stop"
