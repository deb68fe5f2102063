// What a model says at every place of a plane: regions of classes with their boundary and margins,
// or the values of a function; and the data on top.
#pragma once

#include <mercer/model.hpp>
#include <optional>
#include <string>
#include <vector>

#include "picture/plane.hpp"
#include "picture/write.hpp"

namespace mercer::picture {

struct BoundaryPoint {
  Spot at;                       // on the plane
  std::int32_t truth = -1;       // its class; -1: not known
  std::optional<double> number;  // its label in regression
  bool mistaken = false;
};

struct Boundary {
  std::string title;
  Plane plane;
  bool classes = true;             // else a function
  std::vector<std::string> names;  // of the classes
  // On a grid over the plane's axes, rows from the top, at the middle of each cell.
  std::size_t columns = 0;
  std::size_t rows = 0;
  std::vector<std::int32_t> class_at;
  std::vector<double> score;  // of models with one score
  bool margins = false;       // the score is ±1 at the margins
  std::vector<Spot> support;
  std::vector<BoundaryPoint> points;
  std::size_t hidden = 0;    // points that are not drawn, as they are too many
  std::size_t mistakes = 0;  // of all
  std::size_t labelled = 0;

  Box box;  // where the plane is on the sheet, in pixels
};

struct BoundaryOptions {
  double width = 800;
  double height = 600;
  std::string name;  // of the model
  std::vector<std::string> columns;
  PredictOptions predict = {};
};

// The table went through the model's encoding. Throws Error.
Boundary boundary(const Model& model, const Table& table, const BoundaryOptions& options);

// What a place is filled with.
Colour region_colour(const Boundary& b, std::size_t cell);

void draw(Canvas& canvas, const Boundary& b);

}  // namespace mercer::picture
