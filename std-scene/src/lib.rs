//! Behaviour trees in a column, scenes in text files, and the frame loop, on top of `std-ecs`.
