//! The derives of `std-ecs`.
