# cmake -DSOURCE=DIR -DSCRIPTS=a.js,b.js -DOUTPUT=FILE.c -P embed.cmake: the HTML, style and script of a page as C.
# page.html has @STYLE@, @SCRIPT@, @STYLE_HASH@ and @SCRIPT_HASH@ for the Content-Security-Policy, and @DATA@ where the
# data goes.

# Base64 of a hash of 32 bytes in hexadecimal digits.
function(base64_of hex result)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text "")
  foreach(at RANGE 0 60 6) # three bytes become four characters; of the last three bytes the third is missing
    string(SUBSTRING "${hex}00" ${at} 6 part)
    math(EXPR bits "0x${part}")
    foreach(shift 18 12 6 0)
      math(EXPR digit "(${bits} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${digit} 1 character)
      string(APPEND text "${character}")
    endforeach()
  endforeach()
  string(SUBSTRING "${text}" 0 43 text)
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

function(write_array hex name)
  string(LENGTH "${hex}" digits)
  math(EXPR bytes "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes_text "${hex}")
  file(APPEND "${OUTPUT}" "\nconst unsigned char ${name}[] = {\n${bytes_text}};\nconst size_t ${name}_size = ${bytes};\n")
endfunction()

file(READ "${SOURCE}/page.css" style)
set(script "(() => {\n\"use strict\";\n")
string(REPLACE "," ";" names "${SCRIPTS}")
foreach(name IN LISTS names)
  file(READ "${SOURCE}/${name}" text)
  string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")

file(READ "${SOURCE}/page.html" page)
foreach(part style script) # the hashes are of the bytes between the tags
  string(SHA256 hash "${${part}}")
  base64_of("${hash}" hash)
  string(TOUPPER ${part} mark)
  string(REPLACE "@${mark}_HASH@" "${hash}" page "${page}")
  string(REPLACE "@${mark}@" "${${part}}" page "${page}")
endforeach()

string(FIND "${page}" "@DATA@" at)
string(SUBSTRING "${page}" 0 ${at} head)
math(EXPR rest "${at} + 6")
string(SUBSTRING "${page}" ${rest} -1 tail)
file(WRITE "${OUTPUT}" "#include \"reporters/page/page_assets.h\"\n")
foreach(part head tail)
  file(WRITE "${OUTPUT}.part" "${${part}}")
  file(READ "${OUTPUT}.part" hex HEX)
  file(REMOVE "${OUTPUT}.part")
  write_array("${hex}" page_${part})
endforeach()
