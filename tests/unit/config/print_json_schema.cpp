/// Prints the JSON Schema, for validate_configs.py.

#include <iostream>

#include "config/schema.hpp"

int main() { std::cout << limber::config::schema_as_json_schema(); }
