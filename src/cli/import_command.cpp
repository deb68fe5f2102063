// mercer import FILE -o MODEL: a model of LIBSVM as one of ours.
#include <fmt/format.h>
#include <limits>
#include <mercer/libsvm.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/writing.hpp"

namespace mercer::cli {

namespace {

struct ImportCall {
  std::string file;
  std::string out;
  std::size_t columns = 0;
  bool force = false;
  bool json = false;
};

ExitCode run_import(const ImportCall& options) {
  check_new_file(options.out, options.force);
  const Model model = read_libsvm_model(options.file, options.columns);
  model.save(options.out);
  const bool regression = model.task == Model::Task::regression;
  if (options.json) {
    print(Json{{"from", options.file},
               {"model", options.out},
               {"task", regression ? "regression" : "classification"},
               {"classes", model.classes},
               {"kernel", model.kernel->text()},
               {"support", model.support.rows()},
               {"columns", model.dimension()},
               {"open", model.encoding.open},
               {"calibrated", !model.calibration.empty()}});
    return done;
  }
  print(fmt::format("{}: {}, {}, {} of {}{}", options.out,
                    regression ? "regression" : fmt::format("{} classes", model.classes.size()),
                    model.kernel->text(), counted(model.support.rows(), "support point"),
                    counted(model.dimension(), "column"), model.encoding.open ? " or more" : ""));
  return done;
}

}  // namespace

void add_import(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<ImportCall>();
  Command* command = add_command(program, chosen, "import", "Make a model of LIBSVM one of mercer",
                                 options, run_import);
  command->add_option("FILE", options->file, "the model, as svm-train wrote it")->required();
  command->add_option("-o,--out", options->out, "the model of mercer")
      ->type_name("OUT")
      ->required();
  command
      ->add_option("--columns", options->columns,
                   "of the training data, which the file does not tell; else any number from the "
                   "largest index on, in sparse data")
      ->range(1, std::numeric_limits<std::int32_t>::max())
      ->type_name("N");
  command->add_flag("--force", options->force, "replace the file if it is there");
  command->footer(
      "Decision values, classes and probabilities stay what svm-predict says. predict, evaluate\n"
      "and inspect also take LIBSVM's file as it is; what was imported loads at once, whatever\n"
      "its size.\n\n"
      "Examples:\n"
      "  mercer import a9a.model -o a9a.mercer\n"
      "  mercer import iris.model -o iris.mercer --columns 4");
}

}  // namespace mercer::cli
