import { describeQueue } from '../../testing/src/describe-queue.ts'
import { storeQueue } from '../src/index.ts'

describeQueue('the store queue', storeQueue)
