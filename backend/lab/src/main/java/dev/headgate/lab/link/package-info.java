/** Links between programs of this machine that behave as longer or worse ones do. */
@org.jspecify.annotations.NullMarked
package dev.headgate.lab.link;
