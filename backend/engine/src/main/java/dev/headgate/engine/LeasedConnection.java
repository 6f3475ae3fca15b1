package dev.headgate.engine;

import dev.headgate.engine.connect.Traces;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A leased connection as JDBC callers see it: HikariCP's own behind a proxy of the JDK's whose {@code close} ends the lease.
 * The same stands before whatever leads back to the connection (statements, metadata, result sets, arrays), so that every
 * way ends at the caller's connection and never at one whose close would keep the permit.
 *
 * <p>Once the lease has ended, whoever did it, everything but {@code close}, {@code isClosed}, {@code isValid}, {@code abort}
 * and {@code getConnection} fails with SQLSTATE 08003. So nobody reaches a connection that somebody else has leased since.
 * Arrays are values, and stay readable.
 */
final class LeasedConnection {

    private static final String DOES_NOT_EXIST = "08003";

    private final PooledLease lease;
    private final Connection target;
    private final Connection self;

    /** The caller may have left something in the session. */
    private volatile boolean touched;

    /** @param target what the lease has borrowed */
    LeasedConnection(PooledLease lease, Connection target) {
        this.lease = lease;
        this.target = target;
        this.self = proxy(Connection.class, this::onConnection);
    }

    /** The one that the caller has, however it comes by it. */
    Connection connection() {
        return self;
    }

    /**
     * Rolls back what is open and puts the session back to what it was when it was opened, as far as the caller has changed
     * it. Sends nothing where nothing was set and no transaction is open.
     *
     * @param withinTransaction as the server has said last
     */
    void restore(boolean withinTransaction) throws SQLException {
        if (!withinTransaction && !touched) {
            return;
        }
        if (!target.getAutoCommit()) {
            target.rollback();
            target.setAutoCommit(true);
        } else if (withinTransaction) {
            execute("ROLLBACK");
        }
        if (touched) {
            execute("DISCARD ALL"); // from which the driver learns that its prepared statements are gone, too
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = target.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Notes whether a call may leave something that the next one to lease the connection would find. */
    private void note(Method method, Object @Nullable [] arguments) {
        if (arguments == null || touched) {
            return;
        }
        switch (method.getName()) {
            case "execute",
                    "executeQuery",
                    "executeUpdate",
                    "executeLargeUpdate",
                    "addBatch",
                    "prepareStatement",
                    "prepareCall" -> touched = arguments[0] instanceof String sql && Traces.mayBeLeftBy(sql);
            // HikariCP puts back neither; what is done past the proxies is not seen
            case "setSchema", "setClientInfo", "unwrap" -> touched = true;
            default -> {}
        }
    }

    private boolean isOver() throws SQLException {
        return lease.hasEnded() || target.isClosed();
    }

    private @Nullable Object onConnection(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        switch (method.getName()) {
            case "close" -> {
                lease.close();
                return null;
            }
            case "abort" -> {
                abort(arguments == null ? null : (Executor) arguments[0]);
                return null;
            }
            case "isClosed" -> {
                return isOver();
            }
            case "isValid" -> {
                if (isOver()) {
                    return false;
                }
            }
            default -> {}
        }
        return call(proxy, target, null, method, arguments);
    }

    private void abort(@Nullable Executor executor) throws SQLException {
        if (executor == null) {
            throw new SQLException("abort needs an executor", "22023");
        }
        if (!lease.hasEnded()) {
            try {
                target.abort(executor);
            } finally {
                lease.discard();
            }
        }
    }

    /** Something that the connection has given: HikariCP's or the driver's behind a proxy. */
    private final class Part implements InvocationHandler {
        private final Object target;
        private final @Nullable Object statement;

        /** @param statement the one that a result set is of, as the caller knows it */
        Part(Object target, @Nullable Object statement) {
            this.target = target;
            this.statement = statement;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            return switch (method.getName()) {
                case "getConnection" -> self;
                case "close", "free" -> forward(target, method, arguments);
                case "isClosed" -> isOver() || (boolean) forward(target, method, arguments);
                default -> call(proxy, target, statement, method, arguments);
            };
        }
    }

    @SuppressWarnings("ReferenceEquality") // a connection equals itself alone
    private @Nullable Object call(
            Object proxy, Object to, @Nullable Object statement, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> to.toString();
            };
        }
        if (!(to instanceof Array) && isOver()) {
            throw method.getName().equals("setClientInfo")
                    ? new SQLClientInfoException("the connection is closed", DOES_NOT_EXIST, Map.of())
                    : new SQLNonTransientConnectionException("the connection is closed", DOES_NOT_EXIST);
        }
        if (method.getDeclaringClass() == java.sql.Wrapper.class && arguments != null) {
            boolean isAnswer = ((Class<?>) arguments[0]).isInstance(proxy);
            if (isAnswer) {
                return method.getName().equals("unwrap") ? proxy : true;
            }
            note(method, arguments);
            return forward(to, method, arguments);
        }
        note(method, arguments);
        Object answer = forward(to, method, bare(arguments));
        return switch (answer) {
            case null -> null;
            case Connection _ -> self;
            case Statement found -> statement != null ? statement : part(found, null);
            case ResultSet rows -> part(rows, method.getReturnType() == ResultSet.class ? proxy : null);
            case DatabaseMetaData _, Array _ -> part(answer, null);
            default -> answer;
        };
    }

    private Object part(Object found, @Nullable Object from) {
        Class<?> type = switch (found) {
            case CallableStatement _ -> CallableStatement.class;
            case PreparedStatement _ -> PreparedStatement.class;
            case Statement _ -> Statement.class;
            case ResultSet _ -> ResultSet.class;
            case DatabaseMetaData _ -> DatabaseMetaData.class;
            default -> Array.class;
        };
        return proxy(type, new Part(found, from instanceof Statement ? from : null));
    }

    /** The driver knows its own arrays only without the proxy. */
    private static Object @Nullable [] bare(Object @Nullable [] arguments) {
        for (int i = 0; arguments != null && i < arguments.length; i++) {
            if (arguments[i] instanceof Array array
                    && Proxy.isProxyClass(array.getClass())
                    && Proxy.getInvocationHandler(array) instanceof Part part) {
                arguments[i] = part.target;
            }
        }
        return arguments;
    }

    @SuppressWarnings("NullAway") // whatever the driver answers
    private static Object forward(Object to, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(to, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
