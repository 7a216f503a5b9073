#!/usr/bin/env bash
# Writes STIXTwoMath.woff2: STIX Two Math 2.11 with the characters that formulas of
# this field use, at a twelfth of its size. Formulas need a font with an OpenType MATH
# table, for braces of any height, and few systems have one.
#   pip install fonttools==4.68.0 brotli==1.2.1 ziamath==0.13   (the last has the font)
#   scripts/report/STIXTwoMath.sh .../ziamath/fonts/STIXTwoMath-Regular.ttf
set -euo pipefail
characters=(
  U+0020-007E U+00A0 U+00AC U+00B0 U+00B1 U+00B7 U+00D7 U+00F7 U+0131 U+0300-0304
  U+0307 U+0308 U+030A U+030C U+0332 U+0338 U+0391-03A9 U+03B1-03C9 U+03D1 U+03D5
  U+03D6 U+03F0 U+03F1 U+03F5 U+02C6 U+02C7 U+02D8-02DA U+02DC U+203E U+2016 U+2026
  U+2032-2034 U+2061-2064 U+20D7 U+2102 U+210B U+210E U+2110 U+2112 U+2113 U+2115
  U+2119 U+211A U+211B U+211D U+2124 U+212C U+2130 U+2131 U+2133 U+2190-2195 U+21A6
  U+21D0-21D5 U+2200-220F U+2210-2213 U+2215-221A U+221D U+221E U+2223-222E U+2234
  U+2235 U+223C U+2243 U+2245 U+2248 U+2260 U+2261 U+2264 U+2265 U+226A U+226B U+2282
  U+2283 U+2286 U+2287 U+2295-2299 U+22A4 U+22A5 U+22C5 U+22EE-22F1 U+2308-230B
  U+23DE U+23DF U+27E8 U+27E9 U+27F6 U+1D400-1D433 U+1D434-1D467 U+1D468-1D49B
  U+1D49C-1D4CF U+1D538-1D56B U+1D6A4 U+1D6A5 U+1D6A8-1D71B U+1D71C-1D755
  U+1D7CE-1D7D7
)
pyftsubset "$1" --output-file="$(dirname -- "$0")/STIXTwoMath.woff2" --flavor=woff2 \
  --unicodes="$(IFS=,; echo "${characters[*]}")" --layout-features=ssty,kern,mark,mkmk,ccmp \
  --no-hinting --desubroutinize --name-IDs=0,1,2,3,4,5,6,13,14
