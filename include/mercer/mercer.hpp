// Everything, for programs that do not mind.
#pragma once

#include <mercer/calibration.hpp>
#include <mercer/catalogue.hpp>
#include <mercer/data.hpp>
#include <mercer/describe.hpp>
#include <mercer/domain.hpp>
#include <mercer/encoding.hpp>
#include <mercer/error.hpp>
#include <mercer/examples.hpp>
#include <mercer/features.hpp>
#include <mercer/frame.hpp>
#include <mercer/gram.hpp>
#include <mercer/kernel.hpp>
#include <mercer/labels.hpp>
#include <mercer/libsvm.hpp>
#include <mercer/made_data.hpp>
#include <mercer/mapped.hpp>
#include <mercer/matrix.hpp>
#include <mercer/metrics.hpp>
#include <mercer/model.hpp>
#include <mercer/points.hpp>
#include <mercer/properties.hpp>
#include <mercer/split.hpp>
#include <mercer/stop.hpp>
#include <mercer/table_stream.hpp>
#include <mercer/version.hpp>
