package dev.headgate.sql;

/**
 * A column of an answer, as the server describes it (RowDescription).
 *
 * @param table the table's object id; 0 if it is no table's column
 * @param number its number in the table; 0 likewise
 * @param type the type's object id
 * @param size the type's size in bytes; negative for a variable one
 * @param modifier the type's modifier, such as a length; -1 for none
 */
public record Column(String name, int table, int number, int type, int size, int modifier) {}
