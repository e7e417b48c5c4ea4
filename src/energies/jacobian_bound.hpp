#pragma once
/// Positivity of det(dx/dξ) over the whole quadratic tetrahedron, at rest, deformed, and along a motion.
/// dx/dξ is linear over the element and given by its values D_v at the vertices. The determinant is a cubic polynomial
/// with 20 Bernstein coefficients; it lies between their least and their greatest, and equals them at the vertices:
///   b_abc = the average over the permutations (r, s, t) of (a, b, c) of det[column 1 of D_r, 2 of D_s, 3 of D_t].
/// Where they are too pessimistic the element is cut into 8; a part is given by dx/dξ at its own four corners.
/// Johnen, Remacle, Geuzaine, "Geometrical validity of curvilinear finite elements", J. Comput. Phys. 233, 2013.

#include <limits>

#include "energies/tetrahedron_p2.hpp"
#include "math/cubic.hpp"

namespace limber::energies {

namespace detail {

/// dx/dξ at the four corners of an element or of a part of one. Linear in the positions: also of velocities or steps.
template <class T> struct CornerJacobians { math::Matrix3<T> at[4]; };

template <class T> LIMBER_HOST_DEVICE CornerJacobians<T> corner_jacobians(const T x[30]) {
  CornerJacobians<T> d;
  T u[30], y[12];
  relative_positions(x, u);
  for (int v = 0; v < 4; ++v) {
    const double L[4] = {v == 0 ? 1.0 : 0.0, v == 1 ? 1.0 : 0.0, v == 2 ? 1.0 : 0.0, v == 3 ? 1.0 : 0.0};
    tangent_tetrahedron(tangent_weights(L), u, y);
    d.at[v] = tetrahedron_edges(y);
  }
  return d;
}

/// The bilinear part of the cofactor: cof(A + B) = cof A + cof B + mixed_cofactor(A, B).
template <class T>
LIMBER_HOST_DEVICE math::Matrix3<T> mixed_cofactor(const math::Matrix3<T>& a, const math::Matrix3<T>& b) {
  math::Matrix3<T> c;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    T first[3], second[3];
    math::cross3(a.column(i), b.column(j), first);
    math::cross3(b.column(i), a.column(j), second);
    for (int r = 0; r < 3; ++r) c(r, k) = first[r] + second[r];
  }
  return c;
}

/// Calls visit(index, cofactor, w, scale) for each coefficient = scale · (cofactor : D_w), in the order of
/// jacobian_coefficients. square(v) and product(u, v) return the cofactor of D_v and the mixed one of D_u and D_v.
template <class Square, class Product, class Visit>
LIMBER_HOST_DEVICE void for_each_coefficient(const Square& square, const Product& product, const Visit& visit) {
  for (int v = 0; v < 4; ++v) {
    const auto cofactor = square(v);
    visit(v, cofactor, v, 1.0 / 3.0);
    for (int k = 0; k < 3; ++k) {
      const int w = k < v ? k : k + 1;
      visit(4 + 3 * v + k, cofactor, w, 1.0 / 3.0);
    }
  }
  for (int missing = 0; missing < 4; ++missing) {
    const int a = missing == 0 ? 1 : 0, b = missing <= 1 ? 2 : 1, c = missing == 3 ? 2 : 3;
    visit(16 + missing, product(a, b), c, 1.0 / 6.0);
  }
}

template <class T> LIMBER_HOST_DEVICE void jacobian_coefficients(const CornerJacobians<T>& d, T b[20]) {
  for_each_coefficient([&](int v) { return math::cofactor(d.at[v]); },
                       [&](int v, int w) { return mixed_cofactor(d.at[v], d.at[w]); },
                       [&](int index, const math::Matrix3<T>& cofactor, int corner, double scale) {
                         b[index] = T(scale) * math::contract(cofactor, d.at[corner]);
                       });
}

/// A 3×3 matrix that is quadratic in α: c[0] + α c[1] + α² c[2].
template <class T> struct QuadraticMatrix { math::Matrix3<T> c[3]; };

/// The coefficients of the motion D + α Q, minus keep times those of D: 20 cubics in α.
template <class T>
LIMBER_HOST_DEVICE void jacobian_margins(const CornerJacobians<T>& d, const CornerJacobians<T>& q, double keep,
                                         math::Cubic<T> margin[20]) {
  for_each_coefficient(
      [&](int v) {
        return QuadraticMatrix<T>{{math::cofactor(d.at[v]), mixed_cofactor(d.at[v], q.at[v]), math::cofactor(q.at[v])}};
      },
      [&](int v, int w) {
        return QuadraticMatrix<T>{{mixed_cofactor(d.at[v], d.at[w]),
                                   mixed_cofactor(d.at[v], q.at[w]) + mixed_cofactor(q.at[v], d.at[w]),
                                   mixed_cofactor(q.at[v], q.at[w])}};
      },
      [&](int index, const QuadraticMatrix<T>& cofactor, int corner, double scale) {
        const auto& dw = d.at[corner];
        const auto& qw = q.at[corner];
        T* c = margin[index].c;
        c[0] = T(scale * (1.0 - keep)) * math::contract(cofactor.c[0], dw);
        c[1] = T(scale) * (math::contract(cofactor.c[0], qw) + math::contract(cofactor.c[1], dw));
        c[2] = T(scale) * (math::contract(cofactor.c[1], qw) + math::contract(cofactor.c[2], dw));
        c[3] = T(scale) * math::contract(cofactor.c[2], qw);
      });
}

/// Part 0..7 of an element cut at the midpoints of its edges: four at the corners, four around the diagonal from the
/// midpoint of edge 20 to that of edge 13.
LIMBER_HOST_DEVICE inline CornerJacobians<double> part_of(const CornerJacobians<double>& d, int part) {
  const auto midpoint = [&](int e) {
    return 0.5 * (d.at[tetrahedron_edge_vertex(e, 0)] + d.at[tetrahedron_edge_vertex(e, 1)]);
  };
  if (part < 4) {
    CornerJacobians<double> corner;
    for (int v = 0; v < 4; ++v) corner.at[v] = v == part ? d.at[v] : 0.5 * (d.at[part] + d.at[v]);
    return corner;
  }
  const int around = part - 4; // the ring of edges 01, 03, 23, 12
  const int first = around == 0 ? 0 : around == 1 ? 3 : around == 2 ? 5 : 1;
  const int second = around == 0 ? 3 : around == 1 ? 5 : around == 2 ? 1 : 0;
  return {{midpoint(2), midpoint(4), midpoint(first), midpoint(second)}};
}

constexpr int jacobian_max_depth = 4; // at most 8⁴ parts, reached by barely valid elements only

/// Branch and bound for the first α: `exact` is the least one met at a corner of a part, where the determinant is
/// known, an upper bound; parts whose coefficients allow nearly as much are done.
struct InversionSearch {
  double keep;
  double exact; ///< starts as the limit
  double safe;  ///< result; starts as the limit

  LIMBER_HOST_DEVICE void visit(const CornerJacobians<double>& d, const CornerJacobians<double>& q, int depth) {
    math::Cubic<double> margin[20];
    jacobian_margins(d, q, keep, margin);
    for (int i = 0; i < 4; ++i) exact = math::min(exact, math::first_root(margin[i], exact));
    double lower = exact;
    for (int i = 4; i < 20; ++i) lower = math::min(lower, math::first_root(margin[i], lower));
    if (lower >= 0.99 * exact || depth == jacobian_max_depth) {
      safe = math::min(safe, lower);
      return;
    }
    // Once a part at the last depth allows nothing, no other part can help.
    for (int part = 0; part < 8 && safe > 0.0; ++part) visit(part_of(d, part), part_of(q, part), depth + 1);
  }
};

LIMBER_HOST_DEVICE inline bool jacobian_is_positive(const CornerJacobians<double>& d, int depth) {
  double b[20];
  jacobian_coefficients(d, b);
  for (int i = 0; i < 4; ++i)
    if (!(b[i] > 0.0)) return false;
  bool positive = true;
  for (int i = 4; i < 20; ++i) positive &= b[i] > 0.0;
  if (positive) return true;
  if (depth == jacobian_max_depth) return false;
  for (int part = 0; part < 8; ++part)
    if (!jacobian_is_positive(part_of(d, part), depth + 1)) return false;
  return true;
}

/// Branch and bound for the least ratio, as InversionSearch.
struct RatioSearch {
  double exact = std::numeric_limits<double>::infinity();
  double safe = std::numeric_limits<double>::infinity(); ///< result

  LIMBER_HOST_DEVICE void visit(const CornerJacobians<double>& d, const CornerJacobians<double>& rest, int depth) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double b[20], b_rest[20];
    jacobian_coefficients(d, b);
    jacobian_coefficients(rest, b_rest);
    double lower = infinity;
    for (int i = 0; i < 20; ++i) {
      double ratio = b[i] / b_rest[i];
      if (!(b_rest[i] > 0.0) || ratio != ratio) ratio = -infinity;
      lower = math::min(lower, ratio);
      if (i < 4) exact = math::min(exact, ratio);
    }
    if (lower >= exact - 0.01 * math::abs(exact) || exact == -infinity || depth == jacobian_max_depth) {
      safe = math::min(safe, lower);
      return;
    }
    for (int part = 0; part < 8 && safe > -infinity; ++part) visit(part_of(d, part), part_of(rest, part), depth + 1);
  }
};

} // namespace detail

/// The Bernstein coefficients of det(dx/dξ) [m³], which is six times the volume if constant: b[v] at the
/// vertices; b[4 + 3 v + k] of (v, v, w) with w the k-th vertex other than v; b[16 + v] of the three vertices but v.
template <class T> LIMBER_HOST_DEVICE void jacobian_coefficients(const T x[30], T b[20]) {
  detail::jacobian_coefficients(detail::corner_jacobians(x), b);
}

/// Lanes (or, for double, whether this one) where tetrahedron_p2_inversion_bound may be less than `limit`; the others
/// need no further look. \param p the motion, as x
template <class T>
LIMBER_HOST_DEVICE auto may_reach_inversion_bound_p2(const T x[30], const T p[30], const T& limit, double keep) {
  math::Cubic<T> margin[20];
  detail::jacobian_margins(detail::corner_jacobians(x), detail::corner_jacobians(p), keep, margin);
  auto positive = math::surely_positive(margin[0], limit);
  for (int i = 1; i < 20; ++i) positive = positive & math::surely_positive(margin[i], limit);
  return !positive;
}

/// An α in [0, limit] such that, everywhere in the element, det(dx/dξ) along x + a p is at least keep times its value
/// at a = 0 for all a ≤ α. Conservative; within 1 percent of the largest one unless four subdivisions do not get there.
/// 0 if det(dx/dξ) is not positive everywhere at a = 0, or too little so for four subdivisions to show it.
/// \param keep in (0, 1)
LIMBER_HOST_DEVICE inline double tetrahedron_p2_inversion_bound(const double x[30], const double p[30], double limit,
                                                                double keep) {
  detail::InversionSearch search{keep, limit, limit};
  search.visit(detail::corner_jacobians(x), detail::corner_jacobians(p), 0);
  return search.safe;
}

/// Whether det(dx/dξ) is positive in the whole element. False also where four subdivisions do not show it: where the
/// least value is some hundredths of the typical one.
LIMBER_HOST_DEVICE inline bool jacobian_is_positive(const double x[30]) {
  return detail::jacobian_is_positive(detail::corner_jacobians(x), 0);
}

/// A lower bound of the least det(dx/dξ)/det(dX/dξ) in the element, J of the deformation from X to x; within 1 percent
/// of it unless four subdivisions do not get there. 1 if x = X. −∞ if X is not shown to be valid or x has a NaN.
LIMBER_HOST_DEVICE inline double min_jacobian_ratio(const double x[30], const double X[30]) {
  detail::RatioSearch search;
  search.visit(detail::corner_jacobians(x), detail::corner_jacobians(X), 0);
  return search.safe;
}

} // namespace limber::energies
