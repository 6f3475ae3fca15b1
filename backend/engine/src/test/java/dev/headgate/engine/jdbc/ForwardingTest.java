package dev.headgate.engine.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.Lease;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every method of every interface of JDBC that a caller may hold: it reaches the target with what it was given, answers
 * what the target answers, and fails once the lease has ended. The target writes down what it is told.
 */
class ForwardingTest {

    private record Told(Method method, List<@Nullable Object> arguments) {}

    /** Those that a class of ours writes; {@code DataSourceTest} tries them. */
    private static final Set<String> OURS = Set.of(
            "close",
            "isClosed",
            "isValid",
            "abort",
            "unwrap",
            "isWrapperFor",
            "getConnection",
            "getStatement",
            "setClientInfo",
            "setHoldability",
            "setSchema");

    private static final Set<Class<?>> LEADING_BACK = Set.of(
            Statement.class,
            PreparedStatement.class,
            CallableStatement.class,
            ResultSet.class,
            DatabaseMetaData.class,
            ResultSetMetaData.class,
            ParameterMetaData.class,
            Blob.class,
            Clob.class,
            Array.class);

    private final List<Told> told = new ArrayList<>();
    private boolean ended;

    private final LeasedConnection connection = LeasedConnection.of(
            stub(Lease.class, (method, arguments) -> method.getName().equals("hasEnded") ? ended : null),
            target(Connection.class, null));

    @TestFactory
    Stream<DynamicTest> everyMethodReachesItsTarget() {
        return Stream.of(
                        methodsOf(Connection.class, connection),
                        methodsOf(Statement.class, LeasedStatement.of(connection, target(Statement.class, null))),
                        methodsOf(
                                PreparedStatement.class,
                                LeasedStatement.of(connection, target(PreparedStatement.class, null), "SELECT 8")),
                        methodsOf(
                                CallableStatement.class,
                                LeasedStatement.of(connection, target(CallableStatement.class, null), "SELECT 8")),
                        methodsOf(ResultSet.class, LeasedResultSet.of(connection, target(ResultSet.class, null), null)),
                        methodsOf(
                                DatabaseMetaData.class,
                                LeasedMetaData.of(connection, target(DatabaseMetaData.class, null))),
                        methodsOf(
                                ResultSetMetaData.class,
                                LeasedColumns.of(connection, target(ResultSetMetaData.class, null))),
                        methodsOf(
                                ParameterMetaData.class,
                                LeasedParameters.of(connection, target(ParameterMetaData.class, null))))
                .flatMap(each -> each);
    }

    private Stream<DynamicTest> methodsOf(Class<?> type, Object leased) {
        return Stream.of(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !OURS.contains(method.getName()))
                .map(method -> DynamicTest.dynamicTest(
                        type.getSimpleName() + "." + method.getName(), () -> reaches(leased, method)));
    }

    private void reaches(Object leased, Method method) throws Exception {
        told.clear();
        List<@Nullable Object> arguments =
                Stream.of(method.getParameterTypes()).map(this::value).toList();

        ended = false;
        Object answer = method.invoke(leased, arguments.toArray());

        assertThat(told).extracting(Told::method).containsExactly(method);
        assertThat(told.getFirst().arguments()).isEqualTo(arguments);
        if (answer instanceof Leased<?> part) {
            assertThat(part.owner()).isSameAs(connection);
        } else if (answer instanceof LeasedArray array) {
            assertThat(array.target).isInstanceOf(Array.class);
        } else if (answer instanceof Blob || answer instanceof Clob) {
            assertThat(answer).isInstanceOfAny(LeasedBlob.class, LeasedClob.class);
        } else {
            assertThat(answer).isEqualTo(value(method.getReturnType()));
        }

        ended = true;
        assertThatThrownBy(() -> method.invoke(leased, arguments.toArray()))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08003"));
    }

    @Test
    void whatLeadsBackIsCoveredAlsoWhereItIsDeclaredAsAnObject() throws Exception {
        ResultSet ofArrays = LeasedResultSet.of(connection, target(ResultSet.class, target(Array.class, null)), null);
        assertThat(ofArrays.getObject(1)).isInstanceOf(LeasedArray.class);
        ResultSet ofCursors =
                LeasedResultSet.of(connection, target(ResultSet.class, target(ResultSet.class, null)), null);
        assertThat(ofCursors.getObject(1)).isInstanceOf(LeasedResultSet.class);
        assertThat(LeasedResultSet.of(connection, target(ResultSet.class, "text"), null)
                        .getObject(1))
                .isEqualTo("text");
    }

    @Test
    void theDriverGetsItsOwnArrays() throws Exception {
        Array own = target(Array.class, null);
        PreparedStatement statement = LeasedStatement.of(connection, target(PreparedStatement.class, null), "SELECT 8");

        statement.setArray(1, new LeasedArray(connection, own));
        statement.setObject(1, new LeasedArray(connection, own));

        assertThat(told).extracting(each -> each.arguments().get(1)).containsExactly(own, own);
    }

    /** One that no other type of a parameter has, so that none can be taken for another. */
    private @Nullable Object value(Class<?> type) {
        return switch (type.getName()) {
            case "void" -> null;
            case "boolean" -> true;
            case "byte" -> (byte) 1;
            case "short" -> (short) 2;
            case "int" -> 3;
            case "long" -> 4L;
            case "float" -> 5f;
            case "double" -> 6d;
            case "java.lang.String" -> "SELECT 7";
            default -> LEADING_BACK.contains(type) ? target(type, null) : null;
        };
    }

    /** Writes down what it is told. What is declared as an object is {@code object}. */
    private <T> T target(Class<T> type, @Nullable Object object) {
        return stub(type, (method, arguments) -> {
            if (method.getName().equals("isClosed")) {
                return false;
            }
            told.add(new Told(method, arguments == null ? List.of() : Arrays.asList(arguments)));
            return method.getReturnType() == Object.class ? object : value(method.getReturnType());
        });
    }

    @FunctionalInterface
    private interface Answers {
        @Nullable
        Object to(Method method, Object @Nullable [] arguments);
    }

    private static <T> T stub(Class<T> type, Answers answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "toString" -> type.getSimpleName();
                    default -> answers.to(method, arguments);
                }));
    }
}
