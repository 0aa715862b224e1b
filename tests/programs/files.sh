# What the program reads: .npy, pictures, sounds, labels. Each damaged file has its message.
# shellcheck shell=sh
border() { "$tenon" model "$checkout/tests/programs/border.yaml" --main -q --isa portable -o "$work/border" "$@"; }

# takes FILE K: the program with the file as input number K of four.
takes() {
  file=$1 at=$2
  shift 2
  case $at in
    1) "$work/border/net" "$file" "$work/pixels.npy" "$work/wave.npy" "$work/flags.npy" "$@" ;;
    2) "$work/border/net" "$work/planes.npy" "$file" "$work/wave.npy" "$work/flags.npy" "$@" ;;
    3) "$work/border/net" "$work/planes.npy" "$work/pixels.npy" "$file" "$work/flags.npy" "$@" ;;
    4) "$work/border/net" "$work/planes.npy" "$work/pixels.npy" "$work/wave.npy" "$file" "$@" ;;
  esac
}

# answers TEXT COMMAND...: passes where the command's stdout has the line.
answers() {
  text=$1
  shift
  "$@" >"$work/said" && grep -qxF "$text" "$work/said" || { cat "$work/said"; return 1; }
}

# wrong TEXT COMMAND...: status 1, and one line on stderr that is exactly the text.
wrong() {
  text=$1
  shift
  "$@" >"$work/out" 2>"$work/said"
  [ $? -eq 1 ] && [ "$(cat "$work/said")" = "net: $text" ] || { cat "$work/said"; return 1; }
}

refuses_flag() { "$tenon" model "$checkout/$1" --isa portable -o "$work/none" "$2" "$3" >"$work/said" 2>&1; [ $? -eq 2 ] && grep -q -e "$4" "$work/said"; }

check '--images without a program' refuses_flag tests/programs/border.yaml --images -q 'add --main'
check '--images without a picture' refuses_flag tests/programs/counts.yaml --images --main '--images: no input of this model can be a picture'
check '--sounds without a sound' refuses_flag tests/programs/counts.yaml --sounds --main '--sounds: no input of this model can be a sound'
check 'generates for pictures and sounds' border --images --sounds
for cc in $compilers; do
  command -v $cc >/dev/null || { echo "SKIP files: no $cc"; skipped=$((skipped + 1)); continue; }
  check "$cc compiles the readers" compiled border $cc
done

array "$work/planes.npy" '<f4' '1, 3, 1, 2' False '\0\0\0\0\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\100\0\0\240\100'
array "$work/pixels.npy" '|u1' '2, 2, 3' False '\1\2\3\4\5\6\7\10\11\12\13\14'
array "$work/wave.npy" '<f4' '1, 2' False '\0\0\0\77\0\0\200\277'
array "$work/flags.npy" '|b1' '3,' False '\1\0\1'
printf 'P6\n2 2\n255\n\1\2\3\4\5\6\7\10\11\12\13\14' >"$work/pixels.ppm"
check 'planes' answers 'planes_out: f32[1, 3, 1, 2] 0 1 2 3 4 5' takes "$work/planes.npy" 1
check 'a picture as bytes' answers 'pixels_out: u8[12] 1 2 3 4 5 6 7 8 ...' takes "$work/pixels.ppm" 2
check 'bools' answers 'flags_out: u8[3] 1 0 1' takes "$work/flags.npy" 4

array "$work/nothing.npy" '<f4' '2, 0, 4' False ''
array "$work/something.npy" '<f4' '2, 1, 4' False '\0\0\0\0'
check 'generates for no elements' "$tenon" model "$checkout/tests/programs/nothing.yaml" --main -q --isa portable -o "$work/nothing"
check 'compiles for no elements' compiled nothing gcc
check 'no elements' answers 'Y: f32[2, 4] 0 0 0 0 0 0 0 0' "$work/nothing/net" "$work/nothing.npy"
check 'elements where none are taken' wrong "$work/something.npy: its shape is (2, 1, 4); input 'X' takes f32[2, 0, 4]" "$work/nothing/net" "$work/something.npy"

# npy_says NAME TEXT: the file of that name, in place of the bools.
npy_says() { check "$1.npy" wrong "$work/$1.npy: $2" takes "$work/$1.npy" 4; }
dictionary="it has to be {'descr': ..., 'fortran_order': ..., 'shape': (...)}"
printf 'PK\3\4 and so on' >"$work/magic.npy"
: >"$work/empty.npy"
printf '\223NUMPY\7\0\166\0{}' >"$work/version.npy"
printf '\223NUMPY\1\0\377\377{}' >"$work/header_short.npy"
printf '\223NUMPY\2\0\377\377\377\377{}' >"$work/header_long.npy"
printf '\223NUMPY\2\0\166' >"$work/start_short.npy"
array "$work/dtype.npy" '<f8' '3,' False '\1\0\1'
array "$work/order.npy" '|b1' '3, 1' True '\1\0\1'
array "$work/rank.npy" '|b1' '3, 1' False '\1\0\1'
array "$work/extent.npy" '|b1' '9,' False '\1\0\1\1\1\1\1\1\1'
array "$work/huge.npy" '|b1' '999999999999999999,' False '\1'
array "$work/overflow.npy" '|b1' '9999999999999999999999,' False '\1'
array "$work/negative.npy" '|b1' '-1,' False '\1'
array "$work/ranks.npy" '|b1' '1, 1, 1, 1, 1, 1, 1, 1, 1' False '\1'
array "$work/short.npy" '|b1' '3,' False '\1\0'
array "$work/long.npy" '|b1' '3,' False '\1\0\1\1'
array "$work/value.npy" '|b1' '3,' False '\1\0\5'
array "$work/quote.npy" "|b1' " '3,' False '\1\0\1'
array "$work/word.npy" '|b1' '3,' Maybe '\1\0\1'
printf '\377\330\377\340JFIF' >"$work/picture.npy"
printf 'fLaC and so on' >"$work/flac.npy"
npy_says picture 'it is a JPEG picture, not a .npy file; .png, .ppm and .pgm are read'
npy_says flac 'it is a FLAC sound, not a .npy file; .wav is read'
npy_says magic 'it is a ZIP archive, such as .npz, not a picture; save the array with numpy.save'
npy_says empty 'not a .npy file: it does not begin with \x93NUMPY'
npy_says version 'its format is 7.0; versions 1.0, 2.0 and 3.0 are read'
npy_says header_short 'it ends after 2 of the 65535 bytes of its header'
npy_says header_long 'its header has 4294967295 bytes; at most 65535 are read'
npy_says start_short 'it ends within the first 12 bytes'
npy_says dtype "its dtype is '<f8'; input 'flags' takes bool, '|b1'"
npy_says order 'it is stored column by column (fortran_order); save it with numpy.ascontiguousarray'
npy_says rank "its shape is (3, 1); input 'flags' takes bool[N=0..8]"
npy_says extent "its shape is (9); input 'flags' takes bool[N=0..8]"
npy_says huge "its shape is (999999999999999999); input 'flags' takes bool[N=0..8]"
npy_says overflow 'its shape has more than 8 extents, or one of more than 18 digits'
npy_says negative "its header is damaged at character 51: $dictionary"
npy_says ranks 'its shape has more than 8 extents, or one of more than 18 digits'
npy_says short 'it ends after 2 of the 3 bytes of its elements'
npy_says long 'it goes on after the 3 bytes of its elements'
npy_says value 'element 2 is not a bool: its byte is 5'
npy_says quote "its header is damaged at character 16: $dictionary"
npy_says word "its header is damaged at character 34: $dictionary"
# shellcheck disable=SC2016
check 'a refused file leaks nothing' sh -c 'cd "$0" && ${CC:-cc} -g -std=c99 -fsanitize=address -Iinclude -o leaks $(cat sources.txt) -lm || exit 1; ./leaks ../planes.npy ../pixels.npy ../wave.npy ../short.npy 2>said; [ $? -eq 1 ]' "$work/border"
check 'a file that is not there' wrong "$work/gone.npy: No such file or directory" takes "$work/gone.npy" 4
check 'a folder' wrong "$work: Is a directory" takes "$work" 4

# Pictures: a P5 of 2 x 1 pixels, 10 and 20; colours repeat it; sizes, filters, numbers.
printf 'P5 # grey\n2 1\n255\n\12\24' >"$work/grey.pgm"
printf 'P6 1 1 65535\n\377\377\0\0\200\0' >"$work/deep.ppm"
printf 'P5 3 1 255\n\0\70' >"$work/cut.pgm"
printf 'P5 3 1 7\n\0\1\10' >"$work/over.pgm"
printf 'P6 99999999 99999999 255\n' >"$work/large.ppm"
printf 'P3 1 1 255\n1 2 3' >"$work/text.ppm"
check 'grey as colours' answers 'planes_out: f32[1, 3, 1, 2] 10 20 10 20 10 20' takes "$work/grey.pgm" 1
check 'scale, mean, std' answers 'planes_out: f32[1, 3, 1, 2] 4 9 2 4.5 1 2.25' takes "$work/grey.pgm" 1 --scale 0.5 --mean 1 --std 1,2,4
check 'a mean a channel' answers 'planes_out: f32[1, 3, 1, 2] 9 19 8 18 7 17' takes "$work/grey.pgm" 1 --mean 1,2,3
check '16 bits a channel' answers 'planes_out: f32[1, 3, 1, 1] 255 0 127.5019' takes "$work/deep.ppm" 1
check 'blue first' answers 'planes_out: f32[1, 3, 1, 1] 127.5019 0 255' takes "$work/deep.ppm" 1 --colors bgr
check 'wider, linear' answers 'planes_out: f32[1, 3, 1, 4] 10 12.5 17.5 20 10 12.5 17.5 20 ...' takes "$work/grey.pgm" 1 --resize 1x4
check 'wider, nearest' answers 'planes_out: f32[1, 3, 1, 4] 10 10 20 20 10 10 20 20 ...' takes "$work/grey.pgm" 1 --resize 1x4 --filter nearest
check 'narrower takes all pixels' answers 'planes_out: f32[1, 3, 1, 1] 15 15 15' takes "$work/grey.pgm" 1 --resize 1x1
check 'grey as bytes' answers 'pixels_out: u8[12] 10 10 10 20 20 20 10 10 ...' takes "$work/grey.pgm" 2 --filter nearest
check 'bytes end at 0 and 255' answers 'pixels_out: u8[12] 0 0 0 0 0 255 255 255 ...' takes "$work/pixels.ppm" 2 --mean 5.4 --scale 999 --mean 5000
check 'a picture cut short' wrong "$work/cut.pgm: it ends after 2 of its 3 values" takes "$work/cut.pgm" 1
check 'a value above the maximum' wrong "$work/over.pgm: value 2 is 8, more than the 7 of its header" takes "$work/over.pgm" 1
check 'a picture too large' wrong "$work/large.ppm: it has 999999 x 999999 pixels; at least one and at most 268435456 are read, sides up to 65535" takes "$work/large.ppm" 1
check 'a picture of text' wrong "$work/text.ppm: not a picture of kind P5 or P6" takes "$work/text.ppm" 1
check 'a picture for bools' wrong "$work/grey.pgm: it is a picture; input 'flags' takes bool[N=0..8]" takes "$work/grey.pgm" 4
check 'a size that the graph does not have' wrong "--resize: input 'pixels' takes u8[2, 2, 3]" takes "$work/pixels.ppm" 2 --resize 3x3
check 'two means' sh -c '"$@" >/dev/null 2>&1; [ $? -eq 2 ]' - "$work/border/net" --mean 1,2
check 'no deviation' sh -c '"$@" >/dev/null 2>&1; [ $? -eq 2 ]' - "$work/border/net" --std 0
check 'png without libpng' wrong "$checkout/tests/programs/four.png: this program has no libpng: compile with -DNET_WITH_PNG and link -lpng -lz -lm, or convert the picture to PPM" takes "$checkout/tests/programs/four.png" 2

# wav FILE FORMAT CHANNELS RATE BITS BYTES SAMPLES: numbers as printf writes them.
wav() {
  # shellcheck disable=SC2059
  printf "RIFF\0\0\0\0WAVEjunk\3\0\0\0abc\0fmt \20\0\0\0$2$3$4\0\0\0\0\0\0$5data$6\0\0\0$7" >"$1"
}
wav "$work/mono.wav" '\1\0' '\1\0' '\200\76\0\0' '\20\0' '\10' '\0\100\0\200\0\0\1\0'
wav "$work/stereo.wav" '\1\0' '\2\0' '\200\76\0\0' '\20\0' '\10' '\0\100\0\100\0\0\0\100'
wav "$work/float.wav" '\3\0' '\1\0' '\200\76\0\0' '\40\0' '\10' '\0\0\200\76\0\0\200\277'
wav "$work/eight.wav" '\1\0' '\1\0' '\200\76\0\0' '\10\0' '\4' '\0\0\0\0'
wav "$work/three.wav" '\1\0' '\3\0' '\200\76\0\0' '\20\0' '\6' '\0\0\0\0\0\0'
wav "$work/cut.wav" '\1\0' '\1\0' '\200\76\0\0' '\20\0' '\10' '\0\0'
head -c 30 "$work/mono.wav" >"$work/head.wav"
check 'samples of 16 bits' answers 'wave_out: f32[1, 4] 0.5 -1 0 3.051758e-05' takes "$work/mono.wav" 3 --rate 16000
check 'stereo is mixed' answers 'wave_out: f32[1, 2] 0.5 0.25' takes "$work/stereo.wav" 3
check 'samples as floats' answers 'wave_out: f32[1, 2] 0.25 -1' takes "$work/float.wav" 3
check 'from a sample on' answers 'wave_out: f32[1, 2] 0 3.051758e-05' takes "$work/mono.wav" 3 --skip 2
check 'another rate' wrong "$work/mono.wav: it has 16000 samples a second, --rate asks for 8000" takes "$work/mono.wav" 3 --rate 8000
check '8 bits' wrong "$work/eight.wav: its samples are of format 1 with 8 bits; 16-bit integers (1) and 32-bit floats (3) are read" takes "$work/eight.wav" 3
check 'three channels' wrong "$work/three.wav: it has 3 channels; one or two are read" takes "$work/three.wav" 3
check 'fewer samples than it says' wrong "$work/cut.wav: it ends after 1 of its 4 samples" takes "$work/cut.wav" 3
check 'no samples' wrong "$work/head.wav: it ends before its samples" takes "$work/head.wav" 3
check 'everything skipped' wrong "$work/mono.wav: it has 4 samples, 4 of them skipped; input 'wave' takes f32[1, S=1..16] (--skip N: those from sample N on)" takes "$work/mono.wav" 3 --skip 4
check 'a sound for a picture' wrong "$work/mono.wav: it is a sound; input 'planes' takes f32[1, 3, H=0..8, W=0..8]" takes "$work/mono.wav" 1

# The same readers in memory, over many damaged versions of good files.
# shellcheck disable=SC2016
check 'the readers under sanitizers' sh -c 'cd "$0" && ${CC:-cc} -O1 -g -std=c99 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -Iinclude -Isrc -o mutate "$1" src/net_npy.c src/net_image.c src/net_sound.c -lm' \
  "$work/border" "$checkout/tests/programs/mutate_files.c"
array "$work/matrix.npy" '<f4' '2, 6' False "$(printf '%48s')"
array "$work/eight.npy" '|b1' '6,' False '\1\0\1\0\0\1'
for kind_file in npy:matrix.npy npy:eight.npy image:pixels.ppm image:grey.pgm image:deep.ppm sound:mono.wav sound:stereo.wav sound:float.wav; do
  check "20000 times damaged: ${kind_file#*:}" "$work/border/mutate" "${kind_file%%:*}" "$work/${kind_file#*:}" 20000
done

# The command line: each wrong word is named, with what is expected; --help and --version are no faults.
# says_usage TEXT ARGUMENTS...: status 2, and the text on stderr.
says_usage() {
  text=$1
  shift
  "$work/labels/net" "$@" >"$work/out" 2>"$work/said"
  [ $? -eq 2 ] && grep -qF -e "net: $text" "$work/said" || { cat "$work/said"; return 1; }
}

# Labels name the elements of a row.
model labels --isa portable && compiled labels "${CC:-cc}"
npy "$work/two.npy" 2
seq -f 'digit %.0f' 0 9 >"$work/words.txt"
head -n 9 "$work/words.txt" >"$work/nine.txt"
check 'a missing value is named' says_usage '--repeat: a number above 0 is expected after it' "$work/two.npy" --repeat
check 'a value that is not a number is named' says_usage "--top: a number above 0 is expected, not 'abc'" "$work/two.npy" --top abc
check 'an option that is not there is named' says_usage '--nonsense: there is no such option' "$work/two.npy" --nonsense
check 'an input too many is named' says_usage "$work/words.txt: this model has only one input" "$work/two.npy" "$work/words.txt"
rm -f "$work/y.npy"
check 'an output too many is named' says_usage '-o: this is more than the outputs' "$work/two.npy" -o "$work/y.npy" -o "$work/z.npy"
check 'nothing is written then' test ! -e "$work/y.npy"
check 'a missing input is named' says_usage "input 'x' is missing: 0 of 1 files are given" --top 3
check 'a level that is not there is named' says_usage 'pdp11: this level is not compiled in' "$work/two.npy" --isa pdp11
check '--help' sh -c '"$0" --help | grep -q -- "--repeat N"' "$work/labels/net"
check '-h' sh -c '"$0" -h | grep -q "^usage: net"' "$work/labels/net"
check '--version' sh -c '"$0" --version | grep -q "^net, generated by tenon [0-9]"' "$work/labels/net"
check 'labels choose the five largest' sh -c '[ "$("$0" "$1" --labels "$2" | wc -l)" = 6 ]' "$work/labels/net" "$work/two.npy" "$work/words.txt"
check 'a label is that of its column' sh -c '"$0" "$1" --top 20 --labels "$2" | awk "NR > 1 { sub(/^ */, \"\"); if (\$4 != \$1 % 10) exit 1 }"' "$work/labels/net" "$work/two.npy" "$work/words.txt"
check 'too few labels' wrong "$work/nine.txt: it has 9 lines; output 'y' has 10 elements a row" "$work/labels/net" "$work/two.npy" --labels "$work/nine.txt"
check 'no labels' wrong "$work/gone.txt: No such file or directory" "$work/labels/net" "$work/two.npy" --labels "$work/gone.txt"
check 'a file of pictures for a program without' wrong "$work/grey.pgm: it is a PNM picture, not a .npy file; \`tenon model --images\` reads .png and .ppm" "$work/labels/net" "$work/grey.pgm"
# On a terminal, and after two seconds, stderr says how far it is; python3 is the terminal.
cat >"$work/terminal.py" <<'END'
import os, pty, sys
seen = []
pty.spawn(["timeout", "5"] + sys.argv[1:], lambda fd: seen.append(os.read(fd, 4096)) or seen[-1])
sys.exit(b" of 30000000 runs, " not in b"".join(seen))
END
if python3 -c 'import os; os.openpty()' 2>/dev/null; then
  check 'progress on a terminal' python3 "$work/terminal.py" "$work/labels/net" "$work/two.npy" --repeat 30000000
else
  echo 'SKIP files: this system gives no terminal (/dev/pts is not mounted)'
  skipped=$((skipped + 1))
fi
check 'no progress off a terminal' sh -c '"$0" "$1" --repeat 3 2>&1 >/dev/null | wc -c | grep -qx 0' "$work/labels/net" "$work/two.npy"

# PNG through libpng, where it is.
if make -s -C "$work/border" net CFLAGS=-O1 >"$work/log" 2>&1 && nm "$work/border/src/net_image.o" | grep -q png_image; then
  check 'a picture as PNG' answers 'pixels_out: u8[12] 1 2 3 4 5 6 7 8 ...' takes "$checkout/tests/programs/four.png" 2
  head -c 60 "$checkout/tests/programs/four.png" >"$work/cut.png"
  check 'a PNG cut short' says 'cut.png: ' takes "$work/cut.png" 2
  # shellcheck disable=SC2016
  check 'the reader of PNG under sanitizers' sh -c 'cd "$0" && ${CC:-cc} -O1 -g -std=c99 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -DNET_WITH_PNG -Iinclude -Isrc -o mutate "$1" src/net_npy.c src/net_image.c src/net_sound.c -lpng -lz -lm' \
    "$work/border" "$checkout/tests/programs/mutate_files.c"
  check '20000 times damaged: four.png' "$work/border/mutate" image "$checkout/tests/programs/four.png" 20000
else
  echo 'SKIP files: no libpng'
  skipped=$((skipped + 1))
fi
