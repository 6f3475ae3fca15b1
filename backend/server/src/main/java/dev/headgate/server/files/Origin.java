package dev.headgate.server.files;

/** Where policy files come from. It decides which passwords they may name. */
enum Origin {
    /** From the operator's disk, at the start. */
    START,

    /** From a request. */
    API
}
