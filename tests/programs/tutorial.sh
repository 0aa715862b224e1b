# The tutorial of docs/opdef-language.md: each of its definitions passes its own tests, those marked `refused` are
# refused with the text that follows them.
# shellcheck shell=sh
before=$(pwd)
mkdir "$work/tutorial" && cd "$work/tutorial" || exit 1
awk '
  /^## Part 2/ { exit }
  /^```yaml refused$/ { file = sprintf("%02d.refused", ++n); next }
  /^```yaml$/ { file = sprintf("%02d.yaml", ++n); next }
  /^```$/ && file == "" { file = sprintf("%02d.said", n); next }
  /^```$/ { file = ""; next }
  file != "" { print > file }' "$checkout/docs/opdef-language.md"
for file in *.yaml; do
  check "tutorial $file: $(sed -n 's/^  - op: //p' "$file")" \
    "$tenon" try "$file" --isa portable --cc "$quick -O0" -q
done
says_as_the_page() {
  cp "$1.refused" step.yaml
  ! "$tenon" lib step.yaml --isa portable -o out 2>step.said && diff "$1.said" step.said
}
for file in *.refused; do check "tutorial $file" says_as_the_page "${file%.refused}"; done
check 'the tutorial has five ops' test "$(cat ./*.yaml | sed -n 's/^  - op: //p' | sort -u | wc -l)" -ge 5
cd "$before" || exit 1
