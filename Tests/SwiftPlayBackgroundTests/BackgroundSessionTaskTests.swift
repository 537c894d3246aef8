import BackgroundProtocol
import FoundationEssentials
import SystemCalls
import Testing

@testable import SwiftPlayBackground

@Suite struct BackgroundSessionTaskTests {
    @Test("a download that the service has refused has no resume data, whether it is cancelled before or afterwards")
    func aRefusedDownloadHasNoResumeData() throws {
        let link = try BackgroundLink(program: ProgramDescription(name: "test")) { _, _ in }
        let task = BackgroundDownloadTask(uuid: [], request: nil, snapshot: nil, link: link)
        let answers = Monitor<[Data?]>([])
        task.cancel(byProducingResumeData: { data in answers.withLock { $0.append(data) } })
        #expect(answers.withLock { $0.isEmpty })
        task.handleRefusal()
        #expect(answers.withLock { $0 } == [nil])
        task.cancel(byProducingResumeData: { data in answers.withLock { $0.append(data) } })
        #expect(answers.withLock { $0 } == [nil, nil])
    }
}
