package dev.headgate.engine.jdbc;

import static java.lang.constant.ConstantDescs.INIT_NAME;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Wrapper;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Completes an abstract class of {@link Leased} to one that implements a whole interface of JDBC.
 *
 * <h2>Why code is generated</h2>
 *
 * The interfaces have some 600 methods, and nearly all of them only call the same method of the target. Written by hand they
 * would be 4,000 lines that nobody reads. A {@link java.lang.reflect.Proxy} writes none of them, but every call goes
 * through reflection: a lease of a connection took 3.4 times as long as HikariCP's own, and a getter of a row a multiple.
 * So each missing method is made once, when the first lease needs it, as bytecode that is what one would have written:
 *
 * <pre>
 *   public ResultSet executeQuery(String text) throws SQLException {
 *       return given(((Statement) target()).executeQuery(sql(text)));
 *   }
 * </pre>
 *
 * The class is hidden ({@link MethodHandles.Lookup#defineHiddenClass}): it lives as long as its base class, and nobody can
 * name it.
 */
final class Forwarding {

    private final Class<?> base;
    private final Class<?> type;
    private final ClassDesc self;

    private Forwarding(Class<?> base, Class<?> type) {
        this.base = base;
        this.type = type;
        this.self = ClassDesc.of(base.getPackageName(), base.getSimpleName() + "For" + type.getSimpleName());
    }

    /**
     * A constructor of a class that extends {@code base}, implements {@code type} and forwards what {@code base} does not do.
     *
     * @param lookup the base's own
     * @param base with one constructor
     * @return takes that constructor's parameters, answers a {@code base}
     */
    static MethodHandle constructor(MethodHandles.Lookup lookup, Class<?> base, Class<?> type) {
        Constructor<?> constructor = base.getDeclaredConstructors()[0];
        try {
            MethodHandles.Lookup made = lookup.defineHiddenClass(new Forwarding(base, type).bytes(constructor), true);
            return made.findConstructor(
                            made.lookupClass(), MethodType.methodType(void.class, constructor.getParameterTypes()))
                    .asType(MethodType.methodType(base, constructor.getParameterTypes()));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What a constructor threw: nothing is expected of one that only keeps its arguments, but an error of the JVM. */
    static IllegalStateException unexpected(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(thrown);
    }

    private byte[] bytes(Constructor<?> constructor) {
        return ClassFile.of().build(self, made -> {
            made.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC)
                    .withSuperclass(desc(base))
                    .withInterfaceSymbols(desc(type));
            addConstructor(made, constructor);
            missing().forEach(method -> addMethod(made, method));
        });
    }

    private void addConstructor(ClassBuilder made, Constructor<?> of) {
        MethodTypeDesc descriptor = descriptor(void.class, of.getParameterTypes());
        made.withMethodBody(INIT_NAME, descriptor, 0, code -> {
            code.aload(0);
            for (int i = 0; i < of.getParameterCount(); i++) {
                load(code, i, of.getParameterTypes());
            }
            code.invokespecial(desc(base), INIT_NAME, descriptor).return_();
        });
    }

    /** The methods of the interface that the base class does not write, each once. */
    private List<Method> missing() {
        List<Method> found = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Method each : type.getMethods()) {
            boolean isWritten =
                    written(each.getName(), each.getParameterTypes()).isPresent();
            if (!Modifier.isStatic(each.getModifiers())
                    && !isWritten
                    && seen.add(each.getName() + descriptor(each.getReturnType(), each.getParameterTypes()))) {
                found.add(each);
            }
        }
        return found;
    }

    /** A method of the base class or of what it extends. */
    private Optional<Method> written(String name, Class<?>... parameters) {
        for (Class<?> each = base; each != null && each != Object.class; each = each.getSuperclass()) {
            try {
                Method found = each.getDeclaredMethod(name, parameters);
                if (!Modifier.isAbstract(found.getModifiers())) {
                    return Optional.of(found);
                }
            } catch (NoSuchMethodException e) {
                // perhaps further up
            }
        }
        return Optional.empty();
    }

    private void addMethod(ClassBuilder made, Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        Class<?> answer = method.getReturnType();
        MethodTypeDesc descriptor = descriptor(answer, parameters);
        Optional<Method> given = written("given", answer);
        made.withMethodBody(method.getName(), descriptor, ClassFile.ACC_PUBLIC, code -> {
            if (method.getName().startsWith("execute") && parameters.length == 0) {
                written("executes").ifPresent(found -> {
                    code.aload(0);
                    call(code, found);
                });
            }
            if (given.isPresent()) {
                code.aload(0);
            }
            code.aload(0)
                    .invokevirtual(desc(base), "target", descriptor(Wrapper.class))
                    .checkcast(desc(type));
            for (int i = 0; i < parameters.length; i++) {
                String way = i == 0 && takesSql(method) ? "sql" : "taken";
                Optional<Method> taken = written(way, parameters[i]);
                if (taken.isPresent()) {
                    code.aload(0);
                }
                load(code, i, parameters);
                taken.ifPresent(found -> call(code, found));
            }
            code.invokeinterface(desc(type), method.getName(), descriptor);
            given.ifPresent(found -> call(code, found));
            code.return_(TypeKind.from(answer));
        });
    }

    private static boolean takesSql(Method method) {
        String name = method.getName();
        return method.getParameterCount() > 0
                && method.getParameterTypes()[0] == String.class
                && (name.startsWith("execute") || name.startsWith("prepare") || name.equals("addBatch"));
    }

    private void call(CodeBuilder code, Method method) {
        code.invokevirtual(
                desc(base), method.getName(), descriptor(method.getReturnType(), method.getParameterTypes()));
    }

    private static void load(CodeBuilder code, int index, Class<?>... parameters) {
        code.loadLocal(TypeKind.from(parameters[index]), code.parameterSlot(index));
    }

    private static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    private static MethodTypeDesc descriptor(Class<?> answer, Class<?>... parameters) {
        return MethodType.methodType(answer, parameters).describeConstable().orElseThrow();
    }
}
