//! Snapshot → documents: what JSON, page and terminal show, with one set of field names.
