/** Virtual threads and the sockets they wait for, together on one thread of the operating system. */
package dev.headgate.engine.loop;
