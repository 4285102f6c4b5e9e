//! Tests of the whole way in.
