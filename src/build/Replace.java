import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Replaces this process by another JVM, as {@code exec} of a shell does: the process id and the terminal stay. */
public final class Replace {
    private Replace() {}

    /**
     * Returns only if the process cannot be replaced, as on Windows.
     *
     * @param start a JVM version, the jar to run, and options of the JVM
     */
    public static void main(List<String> start) throws Throwable {
        ProcessHandle.Info self = ProcessHandle.current().info();
        List<String> words = List.of(self.arguments().orElse(new String[0]));
        int jar = words.indexOf("-jar");
        SymbolLookup library = Linker.nativeLinker().defaultLookup();
        if (jar < 0 || self.command().isEmpty() || words.subList(0, jar).stream().anyMatch(Replace::isOwnProcess)
                || library.find("execv").isEmpty()) {
            return;
        }
        List<String> command = new ArrayList<>(List.of(self.command().get()));
        command.addAll(start.subList(2, start.size()));
        command.addAll(words.subList(0, jar));
        command.addAll(List.of("-jar", start.get(1)));
        command.addAll(words.subList(jar + 2, words.size()));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment arguments = arena.allocate(ValueLayout.ADDRESS, command.size() + 1L);
            for (int i = 0; i < command.size(); i++) {
                arguments.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(command.get(i)));
            }
            int failed = (int) Linker.nativeLinker()
                    .downcallHandle(library.find("execv").get(), FunctionDescriptor.of(ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS, ValueLayout.ADDRESS))
                    .invokeExact(arena.allocateFrom(command.get(0)), arguments);
        }
    }

    /** Whether an option belongs to this very process: an agent that listens already, or another cache. */
    private static boolean isOwnProcess(String option) {
        return option.startsWith("-agent") || option.startsWith("-javaagent") || option.startsWith("-XX:AOT")
                || option.startsWith("-XX:Shared");
    }
}
