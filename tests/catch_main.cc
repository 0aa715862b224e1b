// The main function of every test program when Catch2 is version 2; version 3 brings its own.
#define CATCH_CONFIG_MAIN
#include "catch.h"
