# From a library's header the table of what the fuzzer knows of each operator: its signature, the C type of each
# input, and of each attribute whether it is an integer
# (i), a real (r), a list of them (I, R) or of the operator's type (v), how many there are, and `!` where there is no default.
BEGIN { print "#include \"fuzz.h\""; print "const op_text op_texts[] = {" }
/^\/\* [a-z0-9_]+(:|$)/ { comment = ""; op = $2; sub(/:$/, "", op) }
{ comment = comment " " $0 }
/\*\/$/ && op != "" && !(op in signature) && match(comment, /\(.*\) -> /) {
  text = comment
  sub(/\) -> .*/, ")", text)
  sub(/^.*   \(/, "(", text)
  gsub(/  +/, " ", text)
  signature[op] = text
  order[++ops] = op
}
/^typedef struct/ { fields = "" }
/^  (int64_t|double|tn_ints|tn_dims|tn_reals|tn_value) [A-Za-z]/ {
  kind = $1 == "double" ? "r" : $1 == "tn_ints" || $1 == "tn_dims" ? "I" : $1 == "tn_reals" ? "R" : $1 == "tn_value" ? "v" : "i"
  name = $2
  sub(/;.*/, "", name)
  count = ""
  if (match(name, /\[[0-9]+\]/)) {
    count = substr(name, RSTART + 1, RLENGTH - 2)
    name = substr(name, 1, RSTART - 1)
  }
  sub(/_$/, "", name)
  fields = fields " " name ":" kind count ($0 ~ /default/ ? "" : "!")
}
/^} [A-Za-z0-9_]*_attrs;/ && fields == "" { print "table.awk: " $2 " no field is known" >"/dev/stderr"; exit 1 }
/^} [A-Za-z0-9_]*_attrs;/ { name = $2; sub(/^[a-z]*_/, "", name); sub(/_attrs;/, "", name); attrs[name] = fields " " }
# A typed function: its inputs are what is constant behind dims and attrs.
/^int [a-z]+_[A-Za-z0-9_]+\(/ { prototype = "" }
/^int [a-z]+_[A-Za-z0-9_]+\(/, /;$/ {
  prototype = prototype " " $0
  if (/;$/ && !(op in inputs) && match(prototype, /(dims|attrs), .*/)) {
    text = substr(prototype, RSTART)
    while (match(text, /const [a-z0-9_]+ \*/)) {
      type = substr(text, RSTART + 6, RLENGTH - 8)
      text = substr(text, RSTART + RLENGTH)
      if (type !~ /_attrs$/) inputs[op] = inputs[op] " " type
    }
  }
}
END {
  for (k = 1; k <= ops; ++k) printf "  {\"%s\", \"%s\", \"%s\", \"%s\"},\n", order[k], signature[order[k]], attrs[order[k]], inputs[order[k]] " "
  print "  {NULL, NULL, NULL, NULL}};"
}
