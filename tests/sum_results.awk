# Sums the log of ctest to one line 'N passed, N failed, N skipped'. A test counts as many as its own output says, in such a
# line or in the summary of Catch2 (the last one holds), and as one where it says nothing. Tests that were left out are skips: -v not_run=N.

function number_before(word,   i) {
  for (i = 2; i <= NF; i++) if ($i ~ "^" word) return $(i - 1) + 0
  return 0
}

function counts(p_word, f_word, s_word) {
  said = 1
  p = number_before(p_word); f = number_before(f_word); s = number_before(s_word)
}

/^[0-9]+\/[0-9]+ Testing: /                         { said = p = f = s = 0 }
/^Command: ""$/                                     { f = said = 1 }
/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { counts("passed", "failed", "skipped") }
/^All tests passed \(/                              { sub(/^.* in /, ""); counts("test", "failed", "skipped") }
/^test cases: /                                     { counts("passed", "failed", "skipped") }
/^Test (Passed|Failed)\.$/ {
  if ($2 == "Failed." && f == 0) f = 1
  if ($2 == "Passed." && !said) p = 1
  passed += p; failed += f; skipped += s
}
END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped + not_run }
