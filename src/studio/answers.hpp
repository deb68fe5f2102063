// What the page asks, each a function from JSON to JSON. Nothing here knows of HTTP.
//
// Throw Error for what is wrong with the request.
#pragma once

#include <functional>

#include "studio/frames.hpp"

namespace mercer::studio {

Json about();                             // kernels, made data, limits
Json made(const Json& request);           // points of `mercer make`
Json from_text(const Json& request);      // points of a file's content
Json points_of(const Table& table);       // throws Error where they are no points of the plane
Json parsed(const Json& request);         // what a kernel is, and its features
Json tiles(const Json& request);          // how it is put together
Json kernel_behind(const Json& request);  // of a map φ: φ(x)·φ(z)
Json proved(const Json& request);         // whether it is one
Json lifted(const Json& request);         // three coordinates of φ, and a plane
Json gram(const Json& request);           // the matrix, by class, and its eigenvalues

// A learner after so many steps: what `mercer train` does, with time stopped.
Json learned_at(const Json& request);

// Learns, and tells how it goes: frames, each with α and the field; the last one is the answer.
// Checks all that can be wrong before the first frame.
std::function<void(const Tell&)> learning(const Json& request);

}  // namespace mercer::studio
