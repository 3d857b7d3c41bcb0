#!/bin/bash
# Everything that is measured on a GPU host, from the unpacked bundles (./dev bundle, ./dev bundle-ort), in under 10 minutes:
#
#   OUT=results tools/dev/h200.sh halfbyte-0.1.0-x86_64 [halfbyte-ort-x86_64]
#
# Into $OUT, at most 8 files: log.txt (every step with its seconds and exit code), bench.json and bench.html (the whole bench.json of the
# package, ONNX Runtime beside it), ort.json, tuning.json, tuned.json and tuned.html (the tuned cases again, by the records), verify.json.
# A step that fails or is cut short leaves the others as they are. Exit 1 when one failed.
set -u
bundle=$(cd "${1:?usage: OUT=FOLDER h200.sh BUNDLE [ORT_BUNDLE]}" && pwd -P)
ort=${2:+$(cd "$2" && pwd -P)}
out=${OUT:?the environment variable OUT names the folder for the results}
mkdir -p "$out" && out=$(cd "$out" && pwd -P)
halfbyte=$bundle/halfbyte
package=${HALFBYTE_PACKAGE:-$bundle/kernels/com.microsoft.MatMulNBits}
whole=${HALFBYTE_SECONDS:-560}  # of everything
[[ ${XDG_CACHE_HOME:-} ]] || export XDG_CACHE_HOME=$out/.cache-of-this-run
export HALFBYTE_ORT=$ort
failed=0
cd "$bundle" || exit 2

# step NAME SECONDS COMMAND...: both outputs to the log, no longer than SECONDS nor than what is left of the whole.
step() {
  local name=$1 limit=$2 started=$SECONDS code left=$((whole - SECONDS))
  shift 2
  ((limit < left)) || limit=$left
  if ((limit < 5)); then
    echo "=== $name: left out, no time" | tee -a "$out/log.txt"
    failed=1
    return 1
  fi
  echo "=== $name: $*" >> "$out/log.txt"
  timeout --kill-after=5 "$limit" "$@" >> "$out/log.txt" 2>&1
  code=$?
  echo "=== $name: exit $code after $((SECONDS - started)) s (limit $limit s)" | tee -a "$out/log.txt"
  ((code == 0)) || failed=1
  return $code
}

# Seconds that a program may plan with: so many, or what is left of the whole.
within() {
  local left=$((whole - SECONDS - 15))
  echo $((left < 1 ? 1 : left < $1 ? left : $1))
}

: > "$out/log.txt"
# What a shape needs in decoding, in small batches and in a prompt.
rows=${HALFBYTE_ROWS:-1,16,128,1024}
tuned=(--only "Llama-3.1-8B down_proj M1" --only "Llama-3.1-8B down_proj M8" --only "Llama-3.1-8B down_proj M64" --only "Llama-3.1-8B down_proj M512"
  --only "Llama-3.2-1B gate_proj M1" --only "Llama-3.2-1B gate_proj M8" --only "Llama-3.2-1B gate_proj M128" --only "Llama-3.1-8B lm_head M1")
extra=()
[[ ${HALFBYTE_CASES:-} ]] && extra=(--cases "$HALFBYTE_CASES") && tuned=()

step device 45 "$halfbyte" device --measure
step bench 130 "$halfbyte" bench "$package" "${extra[@]}" --stored-peaks --budget "$(within 105)" --json "$out/bench.json" --html "$out/bench.html"
if [[ $ort ]]; then
  step ort 90 "$ort/node" "$ort/run.mjs" --cases "$out/bench.json" --rows "$rows" --seconds 0.2 --budget "$(within 65)" --out "$out/ort.json" --quiet
  [[ -s $out/ort.json ]] &&
    step compare 10 "$halfbyte" bench --from "$out/bench.json" --compare "$out/ort.json" --json "$out/bench.json" --html "$out/bench.html"
fi
step tune 100 "$halfbyte" tune "$package" "${extra[@]}" "${tuned[@]}" --most 16 --budget "$(within 85)" --out "$out/tuning.json"
# The records' choice, the manifest's and every other variant's in one run, so that a tuned choice that loses shows.
step tuned 60 "$halfbyte" --tuning "$out/tuning.json" bench "$package" "${extra[@]}" "${tuned[@]}" --stored-peaks --all-variants \
  --budget "$(within 45)" --json "$out/tuned.json" --html "$out/tuned.html"
for folder in "$bundle"/kernels/*/; do
  [[ -e $folder/cases.json && $folder != *halfbyte.peaks/ ]] || continue
  [[ $folder == */com.microsoft.MatMulNBits/ ]] && json=(--json "$out/verify.json") || json=()
  step "verify ${folder%/}" 240 "$halfbyte" --quiet verify "$folder" "${json[@]}"
done
rm -rf "$out/.cache-of-this-run"
echo "=== all: $SECONDS s, $([[ $failed == 0 ]] && echo "every step ended well" || echo "a step failed")" | tee -a "$out/log.txt"
exit $failed
