/** The control side: asks the policies, divides what the database may give, and tells the gates. */
package dev.headgate.engine.governor;
