#include <iomanip>
#include <iostream>
#include <vector>

#include <mercer/mercer.hpp>

int main() {
  mercer::Kernel k = mercer::rbf(0.5) * mercer::poly(2) + 0.1 * mercer::linear();
  std::cout << k.text() << '\n'
            << std::setprecision(17) << k(std::vector<double>{1, 2}, std::vector<double>{3, 4})
            << '\n';
}
