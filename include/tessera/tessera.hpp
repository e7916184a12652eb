// All of the library.
#pragma once

#include "tessera/array.hpp"
#include "tessera/context.hpp"
#include "tessera/error.hpp"
#include "tessera/image.hpp"
#include "tessera/reduce.hpp"
