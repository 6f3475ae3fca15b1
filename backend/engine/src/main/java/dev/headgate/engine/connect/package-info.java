/** Physical connections: how they are opened, counted, kept by HikariCP and closed. */
package dev.headgate.engine.connect;
