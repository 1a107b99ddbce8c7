"""OpenStack Swift with its S3 face, all in one process, on loopback and free ports, below one directory.

Usage: swift-s3.py DIRECTORY ACCESS_KEY SECRET_KEY. Prints the port once it serves; ends with its standard input.
"""
import logging
import os
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi  # noqa: E402
from swift.common import utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

directory, access_key, secret_key = sys.argv[1:4]
account, user = access_key.split(':')


class Cache(object):
    """What the proxy would ask memcached for."""

    def __init__(self):
        self.held = {}

    def get(self, key, *_, **__):
        return self.held.get(key)

    def set(self, key, value, *_, **__):
        self.held[key] = value

    def incr(self, key, delta=1, *_, **__):
        self.held[key] = max(0, int(self.held.get(key) or 0) + delta)
        return self.held[key]

    def decr(self, key, delta=1, *_, **__):
        return self.incr(key, -delta)

    def delete(self, key, *_, **__):
        self.held.pop(key, None)

    def get_multi(self, keys, *_, **__):
        return [self.held.get(key) for key in keys]

    def set_multi(self, mapping, *_, **__):
        self.held.update(mapping)


def written(name, text):
    path = os.path.join(directory, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def serve(socket, app):
    eventlet.spawn(wsgi.server, socket, app, log=logging.getLogger('access'), log_output=False, keepalive=True)


utils.HASH_PATH_PREFIX = utils.HASH_PATH_SUFFIX = b'tests'
utils.SWIFT_CONF_FILE = written('swift.conf', '[swift-hash]\nswift_hash_path_suffix = tests\n')
logging.disable(logging.CRITICAL)

common = """
[DEFAULT]
swift_dir = %(directory)s
devices = %(directory)s/disks
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
log_level = CRITICAL
log_address = %(directory)s/no-log
bind_ip = 127.0.0.1
"""
backend = common + """
[pipeline:main]
pipeline = %(kind)s-server
[app:%(kind)s-server]
use = egg:swift#%(kind)s
"""
proxy = common + """
[pipeline:main]
pipeline = catch_errors s3api tempauth slo dlo proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:s3api]
use = egg:swift#s3api
allow_no_owner = true
s3_acl = false
location = us-east-1
force_swift_request_proxy_log = false
check_bucket_owner = false
[filter:tempauth]
use = egg:swift#tempauth
user_%(account)s_%(user)s = %(secret)s .admin
[filter:slo]
use = egg:swift#slo
rate_limit_after_segment = 100000
[filter:dlo]
use = egg:swift#dlo
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
"""
words = {'directory': directory, 'account': account, 'user': user, 'secret': secret_key}

os.makedirs(os.path.join(directory, 'disks', 'one'))
for kind in ('account', 'container', 'object'):
    socket = eventlet.listen(('127.0.0.1', 0))
    ring = RingBuilder(2, 1, 0)
    place = {'ip': '127.0.0.1', 'port': socket.getsockname()[1], 'device': 'one', 'region': 1, 'zone': 1, 'weight': 1}
    ring.add_dev(dict(place, replication_ip=place['ip'], replication_port=place['port']))
    ring.rebalance()
    ring.get_ring().save(os.path.join(directory, kind + '.ring.gz'))
    serve(socket, loadapp(written(kind + '.conf', backend % dict(words, kind=kind))))

inner = loadapp(written('proxy.conf', proxy % words))
cache = Cache()


def with_cache(environment, start_response):
    environment['swift.cache'] = cache
    return inner(environment, start_response)


socket = eventlet.listen(('127.0.0.1', 0))
serve(socket, with_cache)
print(socket.getsockname()[1], flush=True)
eventlet.tpool.execute(sys.stdin.read)
