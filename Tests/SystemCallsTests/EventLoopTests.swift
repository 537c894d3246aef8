import Testing

@testable import SystemCalls

@Suite struct EventLoopTests {
    /// The names of the event sources in the order in which the loop called them.
    private final class CallLog { var lines: [String] = [] }

    private let loop = EventLoop()
    private let log = CallLog()

    /// Returns an event source that logs its name each time the loop calls it, with "!" if its descriptor is ready.
    private func source(
        _ name: String, _ event: EventDescriptor? = nil, deadline: Int64? = nil, _ body: @escaping () -> Void = {}
    ) -> ClosureSource {
        ClosureSource(
            entries: { event.map { [Poll.Entry(-1), Poll.Entry($0.raw)] } ?? [] }, deadline: { deadline }
        ) { [log] isReady, _ in
            log.lines.append(isReady ? name + "!" : name)
            body()
        }
    }

    @Test("sources are called by phase, then in the order of addition; each receives only its own descriptors")
    func sourcesAreCalledByPhaseThenInOrderOfAddition() throws {
        let signalledEvent = try EventDescriptor(), unsignalledEvent = try EventDescriptor()
        loop.add(source("timer", deadline: 0), to: .timers)
        loop.add(source("frames"), to: .frames)
        loop.add(source("first", unsignalledEvent), to: .system)
        loop.add(source("second", signalledEvent), to: .system)
        signalledEvent.signal()
        try loop.runOnce()
        #expect(log.lines == ["first", "second!", "frames", "timer"])
    }

    @Test("a source removed during an iteration is not called any more; an added source is called in the next one")
    func removedSourceIsSkippedAndAddedSourceIsCalledInTheNextIteration() throws {
        let removedSource = source("victim"), addedSource = source("late")
        var isFirst = true
        loop.add(
            source("actor", deadline: 0) { [loop] in
                loop.remove(removedSource)
                if isFirst { loop.add(addedSource, to: .frames) }
                isFirst = false
            }, to: .system)
        loop.add(removedSource, to: .programs)
        try loop.runOnce()
        #expect(log.lines == ["actor"])
        try loop.runOnce()
        #expect(log.lines == ["actor", "actor", "late"])
    }

    @Test func earliestDeadlineEndsWaitAndStopEndsIteration() throws {
        loop.add(source("far", deadline: .max), to: .system)
        loop.add(source("near", deadline: MonotonicTime.now + 1_000_000) { [loop] in loop.stop() }, to: .system)
        loop.add(source("after"), to: .timers)
        try loop.run()
        #expect(log.lines == ["far", "near"])
    }
}
