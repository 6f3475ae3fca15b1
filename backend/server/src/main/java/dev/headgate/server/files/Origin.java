package dev.headgate.server.files;

/** Where policy files come from: that decides which passwords they may name. */
enum Origin {
    /** From the operator's own disk, at the start. */
    START,

    /** From a request. */
    API
}
