// Everything, for programs that do not mind.
#pragma once

#include <mercer/catalogue.hpp>
#include <mercer/domain.hpp>
#include <mercer/error.hpp>
#include <mercer/features.hpp>
#include <mercer/kernel.hpp>
#include <mercer/properties.hpp>
#include <mercer/version.hpp>
