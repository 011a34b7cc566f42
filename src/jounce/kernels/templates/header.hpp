/* $generated
 *
$comment
 *
 * C++17, nothing else is needed.  compute() has overloads for pointers, for std::array (or a span
 * of fixed size) and, if Eigen is found and JOUNCE_NO_EIGEN is not defined, for $eigen_takes.
 * It allocates nothing, throws nothing and has no state: any number of threads may call it.
 */
#ifndef $guard
#define $guard

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#ifndef JOUNCE_NO_EIGEN
#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define ${guard}_EIGEN
#endif
#endif

namespace $name {

using real = $real;

$sizes

/* N numbers in a row: std::span<T, N> of C++20. */
template <class T, std::size_t N>
class span {
public:
    using array = std::array<std::remove_const_t<T>, N>;

    constexpr explicit span(T *first) noexcept : first_(first) {}
    constexpr span(array &numbers) noexcept : first_(numbers.data()) {}
    template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
    constexpr span(const array &numbers) noexcept : first_(numbers.data()) {}

    constexpr T *data() const noexcept { return first_; }
    static constexpr std::size_t size() noexcept { return N; }
    constexpr T &operator[](std::size_t k) const noexcept { return first_[k]; }
    constexpr T *begin() const noexcept { return first_; }
    constexpr T *end() const noexcept { return first_ + N; }

private:
    T *first_;
};

$functions
inline void compute(
    $spans) noexcept
{
    compute(
        $data);
}

#ifdef ${guard}_EIGEN
/* Matrices are stored row by row. */
template <int Rows, int Columns = 1>
using matrix =
    Eigen::Matrix<real, Rows, Columns, Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
template <int Rows, int Columns = 1>
using matrix_in = $eigen_in;
template <int Rows, int Columns = 1>
using matrix_out = $eigen_out;

inline void compute(
    $matrices) noexcept
{
    compute(
        $data);
}
#endif

}  // namespace $name

#endif
