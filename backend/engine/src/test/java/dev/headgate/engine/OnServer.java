package dev.headgate.engine;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Tests on a real PostgreSQL, one for each class, with a fresh engine for each test. */
abstract class OnServer {

    static PostgresServer server;
    Engine engine;

    @BeforeAll
    static void startServer() {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void startEngine() {
        engine = Engine.start("test", EngineListener.NONE);
    }

    @AfterEach
    void closeEngine() throws Exception {
        try {
            Ledgers.assertExact(engine);
        } finally {
            engine.close();
        }
    }
}
