// The public names that this room uses.
#pragma once

#include "tessera/array.hpp"
#include "tessera/context.hpp"
#include "tessera/error.hpp"
#include "tessera/image.hpp"
#include "tessera/reduce.hpp"

namespace tessera::api {

// One by one, because the functions have the names of rooms.
using v0::ArrayMemory;
using v0::ArrayView;
using v0::Box;
using v0::Code;
using v0::Column;
using v0::Context;
using v0::Error;
using v0::Field;
using v0::ImageSpec;
using v0::Level;
using v0::Options;
using v0::PlaceArray;
using v0::Progress;
using v0::Reduction;
using v0::Result;
using v0::ResultArray;
using v0::Results;
using v0::Run;
using v0::Settings;
using v0::Shape;
using v0::Source;
using v0::Tile;
using v0::Type;

}  // namespace tessera::api
