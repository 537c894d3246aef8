import Glibc
import SystemCalls
import TestSupport
import Testing

/// Notifications by a push server that drops its connection and repeats itself, with the real processes.
@Suite struct NtfyTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    @Test("after a lost connection, every message arrives once, and messages that the server leaves out are logged")
    func everyMessageArrivesOnce() throws {
        let server = try FaultServer { request in
            let topic = String(request.path.dropFirst().prefix { $0 != "/" })
            func line(_ id: String, _ event: String = "message") -> String {
                "{\"id\":\"\(id)\",\"event\":\"\(event)\",\"topic\":\"\(topic)\",\"message\":\"text-\(id)\"}\n"
            }
            let head = "HTTP/1.1 200 OK\r\nX-Messages-Truncated: \(request.number - 1)\r\n\r\n" + line("o", "open")
            if request.number == 1 { return [.text(head + line("a1") + line("a2")), .close] }
            return [.text(head + line("a1") + line("a2") + line("k", "keepalive") + line("a3")), .hold]
        }
        let service = try ChildProcess(
            Products.path("swiftplay-backgroundd"), environment: fixture.environment, runtimeDirectory: fixture.runtime)
        let isListening = Deadline.poll(for: .seconds(20)) { (try? ServiceClient(fixture)) == nil ? nil : true }
        #expect(isListening == true)
        let choice = try fixture.swiftplay("push", "server", server.address + "/")
        #expect(try choice.waitForExit(within: .seconds(20)).isSuccess && choice.output.text == server.address + "\n")
        let probe = try ChildProcess(
            Products.path("BackgroundProbe"), [fixture.scratch.file("log"), "wakes", "probe", "register"],
            environment: fixture.environment, runtimeDirectory: fixture.runtime)
        let isComplete = Deadline.poll(for: .seconds(40)) {
            fixture.log.count { $0 == "completed" } >= 3 ? true : nil
        }
        #expect(isComplete == true && probe.isRunning, "\(fixture.log)")
        let texts = fixture.log.filter { $0.hasPrefix("notification ") }.map { $0.split(separator: " ")[1] }
        #expect(texts == ["text-a1", "text-a2", "text-a3"])
        #expect(fixture.log.contains { $0.hasPrefix("endpoint \(server.address)/up") && $0.hasSuffix("?up=1") })
        #expect(service.errors.wait(for: "the push server has left out older messages"))
        #expect(server.requests.count == 2 && server.requests[1].path.hasSuffix("/json?since=a2"))
    }
}
