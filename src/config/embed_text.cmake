# cmake -DINPUT=... -DOUTPUT=... -P embed_text.cmake: writes a C++ source that holds the text of a file.
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}" "#include \"config/schema_text.hpp\"

namespace limber::config {

const char* const schema_text = R\"limber_schema(${text})limber_schema\";

} // namespace limber::config
")
