package dev.headgate.server.alarms;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;

/** The heap of this JVM. */
final class JvmHeap implements FullHeap.Heap {

    private static final int LINES = 20;

    private final List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();

    @Override
    public long usedAfterCollection() {
        return pools.stream()
                .map(MemoryPoolMXBean::getCollectionUsage)
                .filter(Objects::nonNull)
                .mapToLong(usage -> usage.getUsed())
                .sum();
    }

    @Override
    public long max() {
        return Runtime.getRuntime().maxMemory();
    }

    @Override
    public String largestClasses() throws JMException {
        Object histogram = ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        return String.valueOf(histogram).lines().limit(LINES).collect(Collectors.joining("\n"));
    }
}
